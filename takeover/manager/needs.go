package manager

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/events"
)

// right is to do something with a resource: "create pods", "update
// deployments.apps/status".
type right struct{ verb, resource string }

// need is what a controller needs.
type need struct {
	fenced bool // it can keep to one namespace
	rights []right
}

// can returns the rights to a resource: "apps/replicasets: list watch create".
func can(lines ...string) (all []right) {
	for _, line := range lines {
		resource, verbs, _ := strings.Cut(line, ": ")
		for verb := range strings.FieldsSeq(verbs) {
			all = append(all, right{verb, resource})
		}
	}
	return all
}

// needs says what each controller asks of the cluster. A test holds it: each right
// is used, and none other. Who makes an owner wait for its dependents may set the
// owner's finalizers, and who changes owners may delete, wherever
// OwnerReferencesPermissionEnforcement is on. (Kubernetes:
// plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.)
var needs = map[string]need{
	"deployment-controller": {true, can(
		"apps/deployments: get list watch",
		"apps/deployments/finalizers: update",
		"apps/deployments/status: update",
		"apps/replicasets: create delete get list update watch",
		"pods: list watch",
	)},
	"replicaset-controller": {true, can(
		"apps/replicasets: get list watch",
		"apps/replicasets/finalizers: update",
		"apps/replicasets/status: update",
		"pods: create delete list update watch",
	)},
	"replicationcontroller-controller": {true, can(
		"replicationcontrollers: get list watch",
		"replicationcontrollers/finalizers: update",
		"replicationcontrollers/status: update",
		"pods: create delete list update watch",
	)},
	"statefulset-controller": {true, can(
		"apps/statefulsets: get list watch",
		"apps/statefulsets/finalizers: update",
		"apps/statefulsets/status: update",
		"apps/controllerrevisions: create delete get list update watch",
		"persistentvolumeclaims: create delete list update watch",
		"pods: create delete list update watch",
		"pods/finalizers: update",
	)},
	"daemonset-controller": {true, can(
		"apps/daemonsets: get list watch",
		"apps/daemonsets/finalizers: update",
		"apps/daemonsets/status: update",
		"apps/controllerrevisions: create delete get list update watch",
		"nodes: list watch",
		"pods: create delete list update watch",
	)},
	"endpointslice-controller": {true, can(
		"discovery.k8s.io/endpointslices: create delete list update watch",
		"pods: list watch",
		"services: list watch",
		"services/finalizers: update",
	)},
	"disruption-controller": {true, can(
		"policy/poddisruptionbudgets: list watch",
		"policy/poddisruptionbudgets/status: update",
		"apps/deployments: list watch",
		"apps/replicasets: list watch",
		"apps/statefulsets: list watch",
		"pods: list watch",
		"replicationcontrollers: list watch",
	)},
	"persistentvolumeclaim-protection-controller": {true, can(
		"persistentvolumeclaims: list update watch",
		"pods: list watch",
	)},
	"persistentvolume-protection-controller": {false, can(
		"persistentvolumes: list update watch",
	)},
	"persistentvolume-binder-controller": {false, can(
		"persistentvolumeclaims: get list update watch",
		"persistentvolumeclaims/status: update",
		"persistentvolumes: get list update watch",
		"persistentvolumes/status: update",
		"pods: list watch",
		"storage.k8s.io/storageclasses: list watch",
	)},
	"node-lifecycle-controller": {false, can(
		"coordination.k8s.io/leases: get list watch",
		"nodes: list update watch",
		"nodes/status: update",
		"pods: list watch",
		"pods/status: update",
	)},
	"taint-eviction-controller": {false, can(
		"nodes: get list watch",
		"pods: delete get list watch",
		"pods/status: update",
	)},
	"pod-garbage-collector-controller": {false, can(
		"nodes: get list watch",
		"pods: delete list watch",
		"pods/status: update",
	)},
	"serviceaccount-controller": {false, can(
		"namespaces: list watch",
		"serviceaccounts: create list watch",
	)},
	"root-ca-certificate-publisher-controller": {false, can(
		"configmaps: create list update watch",
		"namespaces: list watch",
	)},
	"greeting": {true, can(
		"apps/deployments: create delete list update watch",
		"configmaps: get list watch",
		"configmaps/finalizers: update",
	)},
	"scheduler": {false, can(
		"apps/replicasets: list watch",
		"apps/statefulsets: list watch",
		"namespaces: list watch",
		"nodes: list watch",
		"persistentvolumeclaims: list watch",
		"persistentvolumes: list watch",
		"pods: delete get list watch",
		"pods/binding: create",
		"pods/status: update",
		"policy/poddisruptionbudgets: list watch",
		"replicationcontrollers: list watch",
		"services: list watch",
		"storage.k8s.io/storageclasses: list watch",
	)},
	"resourcequota-controller": {true, append(can("resourcequotas/status: update"),
		eachKind("list watch", func(k kinds.Kind) bool {
			return k.Namespaced && !slices.Contains(
				[]string{"endpointslices", "events", "leases"}, k.Resource)
		})...)},
	"namespace-controller": {false, append(can(
		"namespaces: list watch", "namespaces/finalize: update",
		"namespaces/status: update", "pods: watch"),
		eachKind("delete get list", func(k kinds.Kind) bool { return k.Namespaced })...)},
	"garbage-collector-controller": {false,
		eachKind("delete get list update watch", func(k kinds.Kind) bool {
			return k.GroupVersionKind != events.Kind
		})},
}

// eachKind returns the same rights to all kinds that are meant.
func eachKind(verbs string, meant func(kinds.Kind) bool) (all []right) {
	for _, kind := range kinds.All() {
		if meant(kind) {
			all = append(all, can(nameOf(kind.Kind)+": "+verbs)...)
		}
	}
	return all
}

// nameOf returns a kind's resource as a right names it.
func nameOf(kind controlloop.Kind) string {
	if kind.Group == "" {
		return kind.Resource
	}
	return kind.Group + "/" + kind.Resource
}

// telling is what every controller needs besides: events.
var telling = can("events: get create update")

// electing is what a copy needs in its home: a lease, and the questions.
func (m *manager) electing() []right {
	all := can("coordination.k8s.io/leases: get create update")
	for _, name := range m.names() {
		q, ok := questions[name]
		if !ok {
			continue
		}
		if kind, err := m.kinds.Of(q.about); err == nil {
			all = append(all, can(nameOf(kind)+": create get delete")...)
		}
		if name == "endpointslice-controller" {
			all = append(all, can("discovery.k8s.io/endpointslices: list")...)
		}
	}
	return all
}

// split returns a resource's group, name and subresource:
// "apps/deployments/status".
func (r right) split() (group, name, sub string) {
	parts := strings.Split(r.resource, "/")
	if strings.Contains(parts[0], ".") || slices.Contains([]string{"apps", "policy", "batch"}, parts[0]) {
		group, parts = parts[0], parts[1:]
	}
	if len(parts) > 1 {
		sub = parts[1]
	}
	return group, parts[0], sub
}

// namespaced reports whether the objects of a resource are in namespaces.
func (m *manager) namespaced(r right) bool {
	group, name, _ := r.split()
	for _, kind := range m.kinds.All() {
		if kind.GroupResource() == (schema.GroupResource{Group: group, Resource: name}) {
			return kind.Namespaced
		}
	}
	return false
}

func (m *manager) names() (all []string) {
	for _, c := range m.chosen {
		all = append(all, c.Name)
	}
	return all
}

// rights returns what the chosen controllers need, each once. In a dry run they
// need as much: the server looks at a write, and keeps none.
func (m *manager) rights() []right {
	all := slices.Clone(telling)
	if m.DryRun {
		all = nil
	}
	for _, name := range m.names() {
		all = append(all, needs[name].rights...)
	}
	return sorted(all)
}

func sorted(all []right) []right {
	slices.SortFunc(all, func(a, b right) int {
		return strings.Compare(a.resource+" "+a.verb, b.resource+" "+b.verb)
	})
	return slices.Compact(all)
}
