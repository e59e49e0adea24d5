// Package rules holds Kubernetes' defaults and validation beyond those of the
// chapters: what the API server fills in before it stores an object, and what
// it refuses. Values, messages and paths are Kubernetes' own, of
// pkg/apis/<group>/v1/defaults.go and pkg/apis/<group>/validation.
//
// It is far from all of Kubernetes' validation: it has the rules that a reader
// of the book may run into. A chapter fills in and refuses what its own
// controllers rely on and what it teaches, and its rules come first; where much
// is wrong at once, complaints are therefore in another order than Kubernetes'.
package rules
