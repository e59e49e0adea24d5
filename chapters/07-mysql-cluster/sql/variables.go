package sql

import (
	_ "embed"
	"slices"
	"strings"
)

// variablesText has the names of MySQL 5.7's system variables: those of
// section 5.1.4 of its manual, "Server System Variable Reference", that a server
// on Linux has without plugins to be installed, NDB, or a build for debugging.
//
//go:embed variables.txt
var variablesText string

var variables = strings.Fields(variablesText)

// UnknownVariable returns the error for a system variable that a server does
// not have: 1235 if MySQL has it, and 1193 if it has not either.
func UnknownVariable(name string) *Error {
	if _, found := slices.BinarySearch(variables, name); found {
		return NewError(1235, "@@"+name)
	}
	return NewError(1193, name)
}
