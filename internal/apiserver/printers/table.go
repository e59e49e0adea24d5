package printers

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/versions"
)

// Options say what a table shall contain.
type Options struct {
	// Include says what each row tells of its object besides its cells:
	// metav1.IncludeMetadata (also where it is empty), IncludeObject, IncludeNone.
	Include metav1.IncludeObjectPolicy
	// NoHeaders leaves the columns out, for clients that know them already.
	NoHeaders bool
	// List says that the objects are those of a list, not one that was asked for
	// by name: a StorageClass is marked as the default in lists only.
	List bool
}

var generator = printers.NewTableGenerator().With(internalversion.AddHandlers, addPlain)

// Table returns a table with one row an object, in their order. The caller
// adds what is to be said of the list as a whole: its version, and how it
// continues.
func Table(kind controlloop.Kind, objs []controlloop.Object, opts Options) *metav1.Table {
	table, err := tableOf(kind, objs, opts)
	if err != nil {
		panic(err) // Kubernetes has columns for each kind that is served
	}
	table.TypeMeta = metav1.TypeMeta{
		APIVersion: metav1.SchemeGroupVersion.String(), Kind: "Table",
	}
	if table.Rows == nil {
		table.Rows = []metav1.TableRow{}
	}
	for i := range table.Rows {
		table.Rows[i].Object.Object = included(objs[i], opts.Include)
	}
	return table
}

func tableOf(
	kind controlloop.Kind, objs []controlloop.Object, opts Options,
) (*metav1.Table, error) {
	opt := printers.GenerateOptions{NoHeaders: opts.NoHeaders, Wide: true}
	if isPlain(kind) {
		return generator.GenerateTable(plain(objs), opt)
	}
	shown, err := versions.InternalList(kind.GroupVersionKind, objs)
	if len(objs) == 1 && !opts.List {
		shown, err = versions.Internal(objs[0])
	}
	if err != nil {
		return nil, err
	}
	return generator.GenerateTable(shown, opt)
}

// included returns what a row tells of its object, or nil.
func included(obj controlloop.Object, policy metav1.IncludeObjectPolicy) runtime.Object {
	switch policy {
	case metav1.IncludeNone:
		return nil
	case metav1.IncludeObject:
		return obj
	}
	partial := meta.AsPartialObjectMetadata(obj)
	partial.SetGroupVersionKind(
		metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
	return partial
}
