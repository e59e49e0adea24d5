// Package counting compares what is with what should be.
package counting

import (
	"fmt"
	"sort"
	"strings"
)

// plan returns how many to create and whom to delete.
//
//book:exercise 1b
func plan(desired int, running []string) (int, []string) {
	if len(running) < desired {
		return desired - len(running), nil
	}
	doomed := append([]string{}, running...)
	sort.Strings(doomed)
	return 0, doomed[desired:]
}

// describe says what a plan does.
//
//book:exercise 1c
func describe(create int, remove []string) string {
	return fmt.Sprintf("create %d, delete [%s]", create, strings.Join(remove, " "))
}

// apply carries a plan out.
func apply(desired int, running []string) string {
	return describe(plan(desired, running))
}
