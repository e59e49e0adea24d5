// Package apiserver serves Kubernetes' HTTP API over chapter 1's store, so that
// kubectl and client-go, as they are, drive the reader's own control plane.
//
// It promises:
//
//   - It answers as Kubernetes does: the same codes, the same Status with its
//     reason, details and causes, the same words.
//   - Every request gets an answer: one that is malformed, too big, or too slow
//     is refused, and nothing that one client does harms another.
//   - A watch delivers every change once and in order, or ends with 410
//     Expired. A client that stops reading is cut off, and costs others nothing.
//   - A write that changes nothing writes nothing. Every write has its manager.
//
// In reading order:
//
//	server.go       what is served; health.go: as a process sees it
//	path.go         what a path means
//	inflight.go     how many requests there may be at once
//	call.go         one request to a resource: which verb, which answer
//	resource.go     a kind as it is served, and the views of its objects
//	media.go        what the client wants to read: JSON, YAML, tables, metadata
//	write.go        the answer in that form
//	reject.go       errors, panics, and who may come in; browser.go: who may not
//	codecs.go       the Go types of all kinds
//	body.go         what the client has sent
//	params.go       what it asks for in the query
//	list.go         lists; pages.go: lists in pieces; turns.go: how many at once
//	watch.go        watches; frames.go, encodings.go: how events reach a client
//	create.go       POST; lacks.go: what the Pods of an object ask for in vain
//	put.go          GET and PUT of an object
//	change.go       PUT and PATCH in optimistic concurrency
//	patch.go        PATCH; patch_types.go: the four ways; patch_depth.go: how deep
//	managers.go     who manages which field
//	dryrun.go       writes that are none
//	delete.go       DELETE of an object, or of many
//	events.go       the two forms of events
//	scale.go        the view of an object as a number of replicas
//	namespace.go    what is special about namespaces
//	ephemeral.go    the view of a Pod to which containers are added
//	subresources.go what is no view of an object; pods.go: bindings and evictions
//	service.go      what a Service gives up with its type
//	proxy.go        HTTP to a port of a Pod, or of a Service
//	reviews.go      questions that are asked by creating an object
//
// Package kinds is the table of what is served; discovery, openapi and printers
// tell clients about it, streams is what goes on in a Pod's containers.
package apiserver
