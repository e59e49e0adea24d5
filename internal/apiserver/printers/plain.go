package printers

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/printers"

	controlloop "reconcile/chapters/01-control-loop"
)

// isPlain reports whether Kubernetes' server asks no printer for a kind. All these
// have the same columns (pkg/registry/rest/table.go in k8s.io/apiserver).
func isPlain(kind controlloop.Kind) bool {
	return slices.Contains([]string{"LimitRange", "CSIStorageCapacity"}, kind.GroupVersionKind.Kind)
}

// plain returns what is shown of objects of such a kind.
func plain(objs []controlloop.Object) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	for _, obj := range objs {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: obj.GetName(), CreationTimestamp: obj.GetCreationTimestamp()}})
	}
	return list
}

// addPlain adds their columns.
func addPlain(h printers.PrintHandler) {
	about := metav1.ObjectMeta{}.SwaggerDoc()
	columns := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: about["name"]},
		{Name: "Created At", Type: "date", Description: about["creationTimestamp"]},
	}
	h.TableHandler(columns, func(
		list *metav1.PartialObjectMetadataList, _ printers.GenerateOptions,
	) (rows []metav1.TableRow, err error) {
		for _, item := range list.Items {
			created := item.CreationTimestamp.UTC().Format(time.RFC3339)
			rows = append(rows, metav1.TableRow{Cells: []any{item.Name, created}})
		}
		return rows, nil
	})
}
