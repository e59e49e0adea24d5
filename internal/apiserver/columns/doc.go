// Package columns says what kubectl prints of each kind: the names of the
// columns, which of them only -o wide shows, and their contents. All of it is
// Kubernetes' own (pkg/printers/internalversion/printers.go), since people know
// these tables by heart.
//
// There is a file for each kind, or for two that look alike; columns.go and
// format.go have what they share.
package columns
