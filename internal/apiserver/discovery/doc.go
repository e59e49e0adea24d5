// Package discovery tells clients what the server serves. kubectl asks it
// first, and then knows that deploy is short for deployments of apps/v1, that
// they live in namespaces, and that they can be scaled.
//
// In reading order:
//
//	resources.go   the resources of each group and version, from the kinds
//	reviews.go     resources that are questions, not objects
//	absent.go      kinds that people look for, and that are not here
//	aggregated.go  all of it in one document, as newer clients ask for it
//	handler.go     the paths: /version, /api and /apis
//	version.go     which Kubernetes this claims to be
package discovery
