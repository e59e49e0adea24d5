package sql

import (
	"fmt"
	"slices"
	"strconv"
)

// Value is NULL (nil), an int64 or a string. Dates are strings, as MySQL
// prints them.
type Value any

// Text returns how a value prints. NULL has no text of its own.
func Text(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// Result is what a statement answers. A caller may keep it: nothing in it
// changes any more.
type Result struct {
	Columns  []string // nil: it returns no rows
	Rows     [][]Value
	Affected uint64
	InsertID uint64 // the first that was given by AUTO_INCREMENT
	Info     string // "Rows matched: 1  Changed: 1  Warnings: 0"
	Warnings []Warning

	Nullable []bool // whether NULL could be in a column; nil: unknown
}

// CanBeNull reports whether NULL could be in a column or, where that is
// unknown, is.
func (r *Result) CanBeNull(column int) bool {
	if r.Nullable != nil {
		return r.Nullable[column]
	}
	return slices.ContainsFunc(r.Rows, func(row []Value) bool {
		return row[column] == nil
	})
}

// Warning is what SHOW WARNINGS says of the statement before.
type Warning struct {
	Level   string // "Note", "Warning"
	Code    uint16
	Message string
}

// Error is an error as MySQL says it: a number, an SQLSTATE and words.
type Error struct {
	Code    uint16
	State   string
	Message string
}

// Error implements error: "ERROR 1046 (3D000): No database selected".
func (e *Error) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", e.Code, e.State, e.Message)
}

// Vars answers for what a statement asks of the server: a system variable by
// its name, lower case and without its scope ("server_id"), "timestamp" (the
// statement's time in seconds, from which NOW() is made), and functions by
// theirs: "version()", "user()", "connection_id()", "last_insert_id()"; a
// user's variable is "@name". A name that it does not know is error 1193, or
// 1235 if MySQL knows it.
type Vars func(name string) (Value, bool)
