// Package rules has the API server fill in, refuse and warn as Kubernetes' own
// does: defaults, conversions and declarative validation are those of
// pkg/apis/<group>/v1, refusals those of pkg/apis/<group>/validation, warnings
// those of pkg/api. What a chapter refuses, for its own tests, is refused here in
// the same words.
//
// In reading order:
//
//	rules.go     a kind with Kubernetes' rules in the place of a chapter's
//	strategy.go  what Kubernetes has for one kind, and what is made of it
//	workloads.go Deployments and all else that makes Pods
//	pod.go       Pods
//	core.go      the rest of core/v1, but for services and storage
//	service.go   Services
//	nodeport.go  the ports of nodes that Services have, which are ours to give
//	storage.go   volumes, claims, classes, drivers
//	others.go    leases, endpoint slices, budgets, priorities, Ingresses
//	batch.go     Jobs, on which no controller acts
//
// What stands here of each kind is what its strategy does in Kubernetes
// (pkg/registry/<group>/<kind>/strategy.go). That package is not used itself: with
// it would come etcd's client, and three hundred packages more.
package rules
