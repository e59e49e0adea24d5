// Package printers makes the tables that kubectl prints. kubectl knows nothing
// of kinds: it asks the server for a Table, with columns and rows, and lays it
// out. Columns and cells are Kubernetes' own, of pkg/printers/internalversion.
package printers
