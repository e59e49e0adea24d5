// Package sql is a small SQL engine: it parses MySQL's statements, executes them
// over tables in memory, and answers with rows or with an error in MySQL's own
// numbers and words. It knows nothing of servers, connections or disks, and what
// a statement asks of its server it asks through one function.
//
// In reading order:
//
//	value.go      what is in a row, a result, an error
//	statement.go  what can be said
//	lex.go        text to words; split.go cuts a script into statements
//	parse.go      words to a tree, and the other parse*.go
//	lacks.go      what MySQL has and this has not, by its name
//	variables.go  the names of MySQL's variables
//	expr.go       what an expression is, and eval.go what it is worth; function.go
//	column.go     what a column takes
//	table.go      a table, its indexes and, in rows.go, its rows
//	alter.go      a table with one more column
//	tables.go     all of them, and the script that makes them again
//	select.go     SELECT; group.go, group_check.go: COUNT and the like, and
//	              GROUP BY
//	show.go       SHOW where it is about tables
//	error.go      MySQL's errors by their numbers
package sql
