// Package printers makes the tables that kubectl prints. kubectl knows nothing
// of kinds: it asks the server for a Table, with columns and rows, and lays it
// out. What the columns of a kind are is in package columns.
package printers
