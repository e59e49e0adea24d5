// Package upstream plays the stories of chapter 3 over Kubernetes' own
// controllers and writes down what they do: chapter 3 is compared with that.
//
// It is a module of its own, for it builds most of Kubernetes, and is no part of
// the book's. To write the stories anew:
//
//	cd internal/upstream && go test -update
package upstream
