// Package openapi describes the API in OpenAPI v3: kubectl explain prints it,
// and kubectl asks it whether the server checks the fields of objects that it
// creates.
//
// Nothing is written by hand that the Go types of the API can tell: their
// fields and tags, and the documentation that comes with them.
//
// In reading order:
//
//	handler.go    /openapi/v3 and the document of each group and version
//	legacy.go     /openapi/v2, for older clients
//	document.go   a document: the schemas of its kinds, and the paths
//	schema.go     a Go type as a schema, a field as a property
//	special.go    types that are another thing in JSON than in Go
//	markers.go    what only the comments of Kubernetes' source say
//	paths.go      what can be done at each path
package openapi
