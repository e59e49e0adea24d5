package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	nodes "reconcile/chapters/06-daemonset/node"
	"reconcile/chapters/06-daemonset/node/budget"
	"reconcile/chapters/06-daemonset/node/podgc"
	"reconcile/internal/apiserver/admission"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/events"
)

// controller is one of the controllers that --controllers chooses from.
type controller struct {
	name  string // kube-controller-manager's
	alias string // what it was called before Kubernetes 1.28
	add   func(*controlloop.System) *controlloop.Controller
}

// controllers lists all controllers, in the order in which they step. Kubelets
// and placement are not among them: they belong to nodes.
var controllers = []controller{
	{"namespace-controller", "namespace", newNamespaces},
	{"serviceaccount-controller", "serviceaccount", newServiceAccounts},
	{"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", rootCAs(noCA)},
	{"deployment-controller", "deployment", rollingupdate.NewDeployments},
	{"replicaset-controller", "replicaset", deployment.NewReplicaSets},
	{"replicationcontroller-controller", "replicationcontroller",
		deployment.NewReplicationControllers},
	{"statefulset-controller", "statefulset", daemonset.NewStatefulSets},
	{"daemonset-controller", "daemonset", daemonset.NewDaemonSets},
	{"persistentvolume-binder-controller", "persistentvolume-binder",
		storage.NewBinder},
	{"persistentvolumeclaim-protection-controller", "pvc-protection",
		storage.NewClaimProtection},
	{"persistentvolume-protection-controller", "pv-protection",
		storage.NewVolumeProtection},
	{"endpointslice-controller", "endpointslice", rollingupdate.NewEndpoints},
	{"resourcequota-controller", "resourcequota", admission.NewQuotas},
	{"node-lifecycle-controller", "nodelifecycle", nodes.NewLifecycle},
	{"taint-eviction-controller", "", nodes.NewTaintEviction},
	{"disruption-controller", "disruption", budget.New},
	{"garbage-collector-controller", "garbagecollector", newCollector},
	{"pod-garbage-collector-controller", "podgc", podgc.New},
}

// newCollector returns the garbage collector of all kinds but events, which own
// nothing and are owned by nothing, and are the most numerous.
func newCollector(s *controlloop.System) *controlloop.Controller {
	var owned []kinds.Kind
	for _, kind := range kinds.All() {
		if kind.GroupVersionKind != events.Kind {
			owned = append(owned, kind)
		}
	}
	return deployment.NewCollector(s, kinds.Store(owned))
}
