package counting

import (
	"reflect"
	"testing"
)

// book:exercise is a directive only without the space.
//
//book:exercise 1b
func TestPlanCreatesWhatIsMissing(t *testing.T) {
	if create, _ := plan(3, []string{"a"}); create != 2 {
		t.Errorf("3 desired, 1 running: created %d", create)
	}
}

// The order of the deleted is by name.
//
//book:exercise 1b
func TestPlanDeletesTheLastByName(t *testing.T) {
	for name, running := range map[string][]string{
		"in order":     {"a", "b", "c"},
		"out of order": {"c", "a", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, remove := plan(1, running); !reflect.DeepEqual(remove, []string{"b", "c"}) {
				t.Errorf("1 desired of %v: deleted %v", running, remove)
			}
		})
	}
}

//book:exercise 1c
func TestDescribeNamesTheDeleted(t *testing.T) {
	if got := describe(0, []string{"b"}); got != "create 0, delete [b]" {
		t.Error(got)
	}
}
