// Package references holds the pages to the sources that they name: each file with
// a line is looked up in the module that go.mod requires, and
// testdata/references.txt says what stood there.
//
//	references_test.go  the test, and what it says when a reference is wrong
//	pages_test.go       which references a page has, and whose folders it means
//	sources_test.go     files and declarations of Kubernetes
//	moved_test.go       that the test finds what has moved, in a small Kubernetes
//
// Go's cache of tests doesn't look at pages, which are of another module: run it with
// -count=1. To write down what stands in new references:
//
//	go -C judges test ./references -update
package references
