// Package sql is a small SQL engine: it parses MySQL's statements, executes them
// over tables in memory, and answers with rows or with an error in MySQL's own
// numbers and words. It knows nothing of servers, connections or disks, and what
// a statement asks of its server it asks through one function.
//
// In reading order:
//
//	value      what is in a row, a result, an error
//	statement  what can be said
//	lex        text to words; split cuts a script into statements
//	parse      words to a tree: parse_rows, parse_table, parse_expr, parse_admin
//	expr       what an expression is, and eval what it is worth; function
//	column     what a column takes
//	table      a table, its indexes and, in rows, its rows
//	tables     all of them, and the script that makes them again
//	select     SELECT; show: SHOW where it is about tables
//	error      MySQL's errors by their numbers
package sql
