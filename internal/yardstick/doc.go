// Package yardstick holds benchmarks of the book's machinery beside those of
// client-go's, in one run, so that their ratio can be read off:
//
//	go test -bench . ./internal/yardstick
//
// A chapter's own tests stay quick to compile, so they do not know client-go.
package yardstick
