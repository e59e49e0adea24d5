package rules

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/capabilities"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/versions"
)

// Warnings returns what a client is told of an object that is stored: in the
// place of old, or new if old is nil.
type Warnings func(obj, old controlloop.Object) []string

// Decoded fills in what Kubernetes fills in of an object that it reads, before
// anything else is done with it: its defaults, and both of two names that one field
// has. A client that makes an object is the manager of these.
func Decoded(obj controlloop.Object) {
	versions.Scheme.Default(obj)
	if internal, err := versions.Internal(obj); err == nil {
		restore(obj, internal)
	}
}

// Of returns a kind with Kubernetes' defaults and refusals in the place of those
// that a chapter has for it, and its warnings. The rest of its rules stays: which
// fields select, what it has alone. A kind that Kubernetes' rules are not taken
// over for stays as it is.
func Of(kind controlloop.Kind) (controlloop.Kind, Warnings) {
	theirs, ok := strategies[kind.GroupVersionKind]
	if !ok {
		return kind, func(_, _ controlloop.Object) []string { return nil }
	}
	kind.Rules.Name, kind.Rules.Validate, kind.Rules.ValidateUpdate = nil, nil, nil
	kind.Rules.Default = theirs.fill
	kind.Rules = kind.Rules.And(controlloop.Rules{
		Allotment: allotments[kind.GroupVersionKind],
		Verdicts:  theirs.verdicts(kind),
		Keep:      kept[kind.GroupVersionKind],
		Counts:    counted[kind.GroupVersionKind],
	})
	return kind, theirs.warnings
}

// strategies has what Kubernetes' server does with each kind. Whether Pods may be
// privileged its validation asks of the process, and believes the first answer:
// here it is that of --allow-privileged, which kubeadm, kind and minikube pass.
var strategies = func() map[schema.GroupVersionKind]server {
	capabilities.Setup(true, 0)
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
	batch1.WithKind("Job"):    jobSelectors,
}

// counted says, for kinds without a spec, which changes count in an object's
// generation.
var counted = map[schema.GroupVersionKind]func(obj, old controlloop.Object) bool{
	rollingupdate.EndpointSliceKind: func(obj, old controlloop.Object) bool {
		next, was := *obj.(*discoveryv1.EndpointSlice), *old.(*discoveryv1.EndpointSlice)
		next.ObjectMeta = metav1.ObjectMeta{Labels: next.Labels}
		was.ObjectMeta = metav1.ObjectMeta{Labels: was.Labels}
		return !equality.Semantic.DeepEqual(next, was)
	},
}

// kept has what Kubernetes' server keeps of a status, though a client left it out.
var kept = map[schema.GroupVersionKind]func(obj, old controlloop.Object){
	controlloop.PodKind: func(obj, old controlloop.Object) {
		controlloop.Fill(&obj.(*corev1.Pod).Status.QOSClass,
			old.(*corev1.Pod).Status.QOSClass)
	},
	storage.VolumeKind: func(obj, old controlloop.Object) {
		keepTransition(
			&obj.(*corev1.PersistentVolume).Status, &old.(*corev1.PersistentVolume).Status)
	},
}

// keepTransition notes when a volume came into its phase.
func keepTransition(status, old *corev1.PersistentVolumeStatus) {
	at := &status.LastPhaseTransitionTime
	switch {
	case status.Phase == old.Phase:
		controlloop.Fill(at, old.LastPhaseTransitionTime)
	case (*at).Equal(old.LastPhaseTransitionTime) || *at == nil:
		*at = new(controlloop.Now())
	}
}
