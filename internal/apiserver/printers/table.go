package printers

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// Options say what a table shall contain.
type Options struct {
	Now time.Time // from which ages are counted; zero: the time it is
	// Include says what each row tells of its object besides its cells:
	// metav1.IncludeMetadata (also where it is empty), IncludeObject, IncludeNone.
	Include metav1.IncludeObjectPolicy
	// NoHeaders leaves the columns out, for clients that know them already.
	NoHeaders bool
	// List says that the objects are those of a list, not one that was asked for
	// by name: a StorageClass is marked as the default in lists only.
	List bool
}

// Table returns a table with one row an object, in their order. The caller
// adds what is to be said of the list as a whole: its version, and how it
// continues.
func Table(kind kinds.Kind, objs []controlloop.Object, opts Options) *metav1.Table {
	if opts.Now.IsZero() {
		opts.Now = time.Now()
	}
	table := &metav1.Table{
		TypeMeta: metav1.TypeMeta{
			APIVersion: metav1.SchemeGroupVersion.String(), Kind: "Table",
		},
		Rows: []metav1.TableRow{},
	}
	if !opts.NoHeaders {
		table.ColumnDefinitions = kind.Columns
	}
	var marks map[string]string
	if opts.List && kind.Marks != nil {
		marks = kind.Marks(objs)
	}
	for _, obj := range objs {
		row := rowOf(kind, obj, opts)
		if mark := marks[obj.GetName()]; mark != "" {
			row.Cells[0] = row.Cells[0].(string) + mark
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func rowOf(kind kinds.Kind, obj controlloop.Object, opts Options) metav1.TableRow {
	row := metav1.TableRow{
		Cells:  kind.Cells(obj, opts.Now),
		Object: runtime.RawExtension{Object: included(obj, opts.Include)},
	}
	if kind.Conditions != nil {
		row.Conditions = kind.Conditions(obj)
	}
	return row
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
