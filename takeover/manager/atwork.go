package manager

import (
	"fmt"
	"strings"
	"time"

	"reconcile/internal/lab"
)

// atWork returns the refusal to work beside others.
func (m *manager) atWork(answers []answer) error {
	var names []string
	for _, a := range answers {
		names = append(names, a.controller)
	}
	how := howToSwitchOff
	if m.isLab {
		how = howToSwitchOffInLab
	}
	return fmt.Errorf("the cluster's own controllers are at work, and two of a kind "+
		"would fight:\n  %s\n%s", said(answers), how(names))
}

// said returns a line for each answer.
func said(answers []answer) string {
	var lines []string
	for _, a := range answers {
		lines = append(lines, fmt.Sprintf("%s: %s answered after %s",
			a.controller, a.by, a.after.Round(10*time.Millisecond)))
	}
	return strings.Join(lines, "\n  ")
}

// howToSwitchOff says how a cluster is to run without these controllers.
// (kube-controller-manager: --controllers; what stands before the names is what
// kubeadm and k3s set themselves.)
func howToSwitchOff(names []string) string {
	var without []string
	scheduler := ""
	for _, name := range names {
		if name == lab.SchedulerName {
			scheduler = "\nThe scheduler is a program of its own: take /etc/kubernetes/manifests/" +
				"kube-scheduler.yaml away, or\nstart k3s with --disable-scheduler."
			continue
		}
		without = append(without, "-"+name)
	}
	if len(without) == 0 {
		return strings.TrimPrefix(scheduler, "\n")
	}
	off := strings.Join(without, ",")
	return fmt.Sprintf(`To switch them off:
  kube-controller-manager   --controllers=*,%[1]s
  kubeadm                   in /etc/kubernetes/manifests/kube-controller-manager.yaml:
                            --controllers=*,bootstrapsigner,tokencleaner,%[1]s
  k3s server                --kube-controller-manager-arg='controllers=*,tokencleaner,-service,-route,-cloud-node-lifecycle,%[1]s'
  kind                      in the cluster's config:
                            kubeadmConfigPatches:
                            - |
                              kind: ClusterConfiguration
                              controllerManager:
                                extraArgs:
                                  controllers: "*,bootstrapsigner,tokencleaner,%[1]s"
  minikube start            --extra-config='controller-manager.controllers=*,bootstrapsigner,tokencleaner,%[1]s'%[2]s`,
		off, scheduler)
}

// howToSwitchOffInLab says how a lab is to run without these controllers.
func howToSwitchOffInLab(names []string) string {
	var without []string
	flags := ""
	for _, name := range names {
		if name == lab.SchedulerName {
			flags = " --nodes 0"
			continue
		}
		without = append(without, "-"+lab.Alias(name))
	}
	if len(without) > 0 {
		flags = " --controllers " + strings.Join(without, ",") + flags
	}
	how := "That cluster is a lab. End it, and start it without them:\n  lab up" + flags
	if strings.HasSuffix(flags, "--nodes 0") {
		how += "\nA lab's nodes bring the placement of Pods along; lab kubelets brings others."
	}
	return how
}
