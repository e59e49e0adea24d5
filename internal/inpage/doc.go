// Package inpage runs programs one within another in a page's worker, where there are
// no processes: run_js.go.
package inpage
