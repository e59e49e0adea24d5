package kinds

import (
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/rules"
)

// Kind holds all that the API server knows of a kind beyond what the store
// knows.
type Kind struct {
	controlloop.Kind
	ShortNames []string // kubectl's for the resource: "po"
	Categories []string // sets of kinds that it belongs to: "all"

	// Scale reads and writes the number of replicas; nil: no /scale.
	Scale *Scale
	// Subresources lists those besides /status and /scale: "log", "binding".
	Subresources []string
	// CreateOnUpdate says that a PUT makes an object that does not exist.
	CreateOnUpdate bool
	// Conditional says that a PUT has to name the version that it replaces.
	Conditional bool
	// OneByOne says that the objects cannot be deleted as a collection.
	OneByOne bool

	// Warnings returns the warnings for a client that writes an object.
	Warnings rules.Warnings
}

// All returns every kind, by group in the order in which clients shall prefer
// them, then by resource.
func All() []Kind {
	all := slices.Concat(
		core(), apps(), volumes(), coordination(), discovery(), inert(),
		policy(), scheduling(), drivers())
	for i := range all {
		all[i].Kind, all[i].Warnings = rules.Of(all[i].Kind)
	}
	return all
}

// Store returns the kinds as the store has to know them.
func Store(kinds []Kind) controlloop.Kinds {
	all := controlloop.Kinds{}
	for _, kind := range kinds {
		all = all.With(kind.Kind)
	}
	return all
}

// all is the category of the objects in `kubectl get all`.
var all = []string{"all"}

// taught returns a kind as a chapter defines it, with fields that a selector may
// name beyond those that it has there.
func taught(
	gvk schema.GroupVersionKind, selectable ...func(obj controlloop.Object) fields.Set,
) controlloop.Kind {
	chapters := controlloop.CoreKinds().
		With(deployment.Kinds()...).With(rollingupdate.Kinds()...).With(statefulset.Kinds()...).
		With(storage.Kinds()...).With(daemonset.Kinds()...)
	kind, err := chapters.For(gvk)
	if err != nil {
		panic(err) // no chapter defines it
	}
	for _, by := range selectable {
		kind.Rules = kind.Rules.And(controlloop.Rules{Fields: by})
	}
	return kind
}
