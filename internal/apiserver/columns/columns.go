package columns

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Set says what a table shows of the objects of one kind.
type Set struct {
	Columns []metav1.TableColumnDefinition
	// Cells returns one value for each column, as JSON may have it: strings,
	// int64 and bool.
	Cells func(obj controlloop.Object, now time.Time) []any
	// Conditions returns what a row says besides its cells; may be nil.
	Conditions func(obj controlloop.Object) []metav1.TableRowCondition
	// Marks returns the text to append to cells of the first column in a list
	// of all objects of a kind, by name; may be nil.
	Marks func(objs []controlloop.Object) map[string]string
}

// of returns the set whose cells are those of one Go type.
func of[T controlloop.Object](
	cells func(obj T, now time.Time) []any, columns ...metav1.TableColumnDefinition,
) Set {
	return Set{
		Columns: columns,
		Cells: func(obj controlloop.Object, now time.Time) []any {
			return cells(obj.(T), now)
		},
	}
}

// Nearly all kinds have these columns.
var (
	name = metav1.TableColumnDefinition{
		Name: "Name", Type: "string", Format: "name",
		Description: metav1.ObjectMeta{}.SwaggerDoc()["name"],
	}
	created = text("Age", metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"])
)

// Plain is what a table shows of objects without columns of their own: that
// they exist.
var Plain = of(
	func(obj controlloop.Object, now time.Time) []any {
		return []any{obj.GetName(), age(obj.GetCreationTimestamp(), now)}
	},
	name,
	created,
)

func text(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{
		Name: name, Type: "string", Description: description,
	}
}

func integer(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{
		Name: name, Type: "integer", Description: description,
	}
}

func boolean(name, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{
		Name: name, Type: "boolean", Description: description,
	}
}

// wide returns a column that only -o wide shows.
func wide(c metav1.TableColumnDefinition) metav1.TableColumnDefinition {
	c.Priority = 1
	return c
}
