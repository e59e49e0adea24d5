package printers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/printers"
)

// addLimitRanges adds the columns of the one kind that is served and that
// Kubernetes' printers leave out. Its server has these for all such kinds
// (pkg/registry/rest/table.go in k8s.io/apiserver).
func addLimitRanges(h printers.PrintHandler) {
	about := metav1.ObjectMeta{}.SwaggerDoc()
	columns := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: about["name"]},
		{Name: "Created At", Type: "date", Description: about["creationTimestamp"]},
	}
	rows := func(ranges ...core.LimitRange) (rows []metav1.TableRow, err error) {
		for _, r := range ranges {
			created := r.CreationTimestamp.UTC().Format(time.RFC3339)
			rows = append(rows, metav1.TableRow{Cells: []any{r.Name, created}})
		}
		return rows, nil
	}
	h.TableHandler(columns, func(
		r *core.LimitRange, _ printers.GenerateOptions,
	) ([]metav1.TableRow, error) {
		return rows(*r)
	})
	h.TableHandler(columns, func(
		l *core.LimitRangeList, _ printers.GenerateOptions,
	) ([]metav1.TableRow, error) {
		return rows(l.Items...)
	})
}
