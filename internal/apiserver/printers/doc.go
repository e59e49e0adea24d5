// Package printers makes the tables that kubectl prints. kubectl knows nothing
// of kinds: it asks the server for a Table, with columns and rows, and lays it
// out. Package columns has the columns of each kind.
package printers
