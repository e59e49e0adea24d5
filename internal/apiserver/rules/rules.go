package rules

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	daemonset "reconcile/chapters/06-daemonset"
)

// Warnings returns what a client is told of an object that is stored: in the
// place of old, or new if old is nil.
type Warnings func(obj, old controlloop.Object) []string

// Of returns a kind with Kubernetes' defaults and refusals in the place of those
// that a chapter has for it, and its warnings. The rest of its rules stays: which
// fields select, what it has alone. A kind that Kubernetes' rules are not taken
// over for stays as it is.
func Of(kind controlloop.Kind) (controlloop.Kind, Warnings) {
	theirs, ok := strategies[kind.GroupVersionKind]
	if !ok {
		return kind, func(_, _ controlloop.Object) []string { return nil }
	}
	kind.Rules.Name, kind.Rules.Check, kind.Rules.Change = nil, nil, nil
	kind.Rules.Fill = theirs.fill
	kind.Rules = kind.Rules.And(controlloop.Rules{
		Allotment: allotments[kind.GroupVersionKind],
		Verdicts:  theirs.verdicts(kind),
	})
	return kind, theirs.warnings
}

// strategies has what Kubernetes' server does with each kind.
var strategies = func() map[schema.GroupVersionKind]server {
	all := map[schema.GroupVersionKind]server{}
	for _, some := range []map[schema.GroupVersionKind]server{
		pods, workloads, core, services, volumes, others, jobs,
	} {
		maps.Copy(all, some)
	}
	return all
}()

// allotments has what Kubernetes' server gives out, and no chapter does.
var allotments = map[schema.GroupVersionKind]controlloop.Allotment{
	daemonset.DaemonSetKind:   templateCounts,
	rollingupdate.ServiceKind: nodePorts,
}
