package up

import (
	"fmt"
	"strings"

	"reconcile/internal/lab"
)

// welcome prints where the lab is, how to use it, and what it will not do.
func welcome(
	opts Options, kubeconfig string, s *server, n *names, l *lab.Lab,
) {
	if opts.OpenDoor {
		fmt.Fprint(opts.Err, "lab: --open-door: every user and every program of this machine "+
			"may do here what you may, and run what they like in containers\n")
	}
	nodes := fmt.Sprintf("%d nodes", opts.Nodes)
	if opts.Nodes == 1 {
		nodes = "1 node"
	}
	state := "its state ends with it"
	if opts.Snapshot != "" {
		state = "its state is kept in " + opts.Snapshot
	}
	kubectl, node := opts.Kubectl, opts.Node
	if opts.Kubeconfig != "" {
		kubectl += " --kubeconfig " + kubeconfig
		node += " --kubeconfig " + kubeconfig
	}
	machines := fmt.Sprintf("Another machine, and one that falls silent:\n  %s add\n  %[1]s cut node-1", node)
	if opts.Nodes == 0 {
		machines = "A first machine:\n  " + node + " add"
	}
	fmt.Fprintf(opts.Out, `The lab is up at %s, with %s.

%sWith an installed kubectl:
  export KUBECONFIG=%s
  kubectl get nodes
Without one:
  %s get nodes
Names of the cluster, from outside of it:
  dig @%s -p %d +short kubernetes.default.svc.cluster.local
%s

%sCtrl-C stops the lab; %s. Events, as they happen:

`, s.url, nodes, s.pageLine(), kubeconfig, kubectl, n.host(), n.port(), machines, missing(opts, l), state)
}

// missing names the controllers that were left out, the fields of a Pod's spec
// that are not heeded, and the kinds whose objects can be made and are acted on
// by no controller.
func missing(opts Options, l *lab.Lab) string {
	var text string
	if out := l.LeftOut(); len(out) > 0 {
		text = "Left out: " + strings.Join(out, ", ") + ".\n"
	}
	if isReal(opts.Runtime) && !holdsLimits() {
		text += "It was not root who started it: limits of memory and CPU do not hold.\n"
	}
	if idle := l.Idle(); len(idle) > 0 {
		text += "No controller of this lab acts on " + strings.Join(idle, ", ") + ".\n"
	}
	return text
}
