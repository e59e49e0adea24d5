// Package rules holds Kubernetes' defaults and validation for the kinds that
// no chapter defines: what the API server fills in before it stores an object,
// and what it refuses. Values, messages and paths are Kubernetes' own, of
// pkg/apis/<group>/v1/defaults.go and pkg/apis/<group>/validation.
//
// It is far from all of Kubernetes' validation: it is what a reader of the
// book may run into, and what controllers rely on. What a chapter defines has
// the chapter's rules.
package rules
