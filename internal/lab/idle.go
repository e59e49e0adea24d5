package lab

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/unsupported"
	"reconcile/internal/apiserver/kinds"
)

// actedOn are the resources that a controller of Kubernetes' acts on. A name
// that controllers does not have comes in a later chapter, or never.
var actedOn = []struct{ resource, by string }{
	{"namespaces", "namespace-controller"},
	{"services", "endpointslice-controller"},
	{"replicationcontrollers", "replicationcontroller-controller"},
	{"replicasets", "replicaset-controller"},
	{"deployments", "deployment-controller"},
	{"statefulsets", "statefulset-controller"},
	{"daemonsets", "daemonset-controller"},
	{"jobs", "job-controller"},
	{"cronjobs", "cronjob-controller"},
	{"persistentvolumeclaims", "persistentvolume-binder-controller"},
	{"persistentvolumes", "persistentvolume-binder-controller"},
	{"poddisruptionbudgets", "disruption-controller"},
	{"resourcequotas", "resourcequota-controller"},
}

// Idle returns the resources that the API takes and no controller of this lab
// acts on, though one of Kubernetes' does. Placement and kubelets act on Pods,
// whichever controllers are chosen.
func (l *Lab) Idle() []string {
	served := map[string]bool{}
	for _, kind := range kinds.All() {
		served[kind.Resource] = true
	}
	var idle []string
	for _, a := range actedOn {
		if served[a.resource] && !l.chose(a.by) {
			idle = append(idle, a.resource)
		}
	}
	return idle
}

// lacks says what of a Pod's spec, which is at path, no runtime of this lab does.
func (l *Lab) lacks(spec *corev1.PodSpec, path string) []error {
	_, isSimulated := l.hardware.(inMemory)
	return unsupported.Warnings(spec, path, !isSimulated)
}

// LeftOut returns the names of the controllers that were not chosen.
func (l *Lab) LeftOut() []string {
	var out []string
	for _, c := range controllers {
		if !l.chose(c.name) {
			out = append(out, c.name)
		}
	}
	return out
}

func (l *Lab) chose(name string) bool {
	return slices.ContainsFunc(l.chosen, func(c controller) bool { return c.name == name })
}
