package up

import "fmt"

// welcome says where the lab is and how to use it.
func welcome(opts Options, kubeconfig string, s *server) {
	nodes := fmt.Sprintf("%d nodes", opts.Nodes)
	if opts.Nodes == 1 {
		nodes = "1 node"
	}
	state := "its state ends with it"
	if opts.Snapshot != "" {
		state = "its state is kept in " + opts.Snapshot
	}
	own := opts.Kubectl
	if opts.Kubeconfig != "" {
		own += " --kubeconfig " + kubeconfig
	}
	fmt.Fprintf(opts.Out, `The lab is up at %s, with %s.

With an installed kubectl:
  export KUBECONFIG=%s
  kubectl get nodes
Without one:
  %s get nodes

Ctrl-C stops the lab; %s. Events, as they happen:

`, s.url, nodes, kubeconfig, own, state)
}
