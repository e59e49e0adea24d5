// Package conformance holds the lab to the expectations of kubectl's users: its
// tests run the real kubectl, and client-go, against a lab as `lab up` makes
// it, over HTTP, and look at what a user sees.
//
// With CONFORMANCE_KUBECTL=/usr/bin/kubectl they run that one instead, whose
// words may differ if its version does.
//
// All tests share one lab, and have a namespace each. A test that needs nodes
// to be changed has a lab of its own.
package conformance
