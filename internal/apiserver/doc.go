// Package apiserver serves Kubernetes' HTTP API over chapter 1's store, so that
// kubectl and client-go, as they are, drive the reader's own control plane.
//
// It promises:
//
//   - It answers as Kubernetes does, since its requests are handled by Kubernetes'
//     own handlers (k8s.io/apiserver/pkg/endpoints/handlers): they read a request,
//     patch and apply, keep account of managers, and write the answer. What is
//     stored, and what is refused, is decided here.
//   - Every request gets an answer: one that is too big, or too slow, is refused,
//     and nothing that one client does harms another.
//   - A watch delivers every change once and in order, or ends with 410
//     Expired. A client that stops reading is cut off, and costs others nothing.
//   - A write that changes nothing writes nothing. Every write has its manager.
//
// In reading order:
//
//	server.go       what is served; health.go: as a process sees it
//	path.go         what a path means
//	inflight.go     how many requests there may be at once
//	route.go        which handler answers a request, and how long it waits
//	reject.go       errors, panics, and who may come in; browser.go: who may not
//	resource.go     a kind as it is served, and the views of its objects
//	storage.go      a view of a kind, as the handlers want it: one object, tables
//	codecs.go       the Go types of all kinds, read and written
//	encodings.go    texts that many clients share
//	warnings.go     what a client may not have meant
//	managers.go     who manages which field
//	list.go         lists; pages.go: lists in pieces; turns.go: how many at once
//	watch.go        watches
//	create.go       new objects; lacks.go: what their Pods ask for in vain
//	update.go       changes, in optimistic concurrency
//	dryrun.go       writes that are none
//	delete.go       deletes of an object, or of many
//	events.go       the two forms of events
//	scale.go        the view of an object as a number of replicas
//	namespace.go    what is special about namespaces
//	ephemeral.go    the view of a Pod to which containers are added
//	service.go      what a Service gives up with its type
//	subresources.go what is no view of an object
//	posted.go       what is sent and never stored; pods.go: bindings and evictions;
//	                reviews.go: questions
//	proxy.go        HTTP to a port of a Pod, or of a Service
//
// Package kinds is the table of what is served; discovery, openapi and printers
// tell clients about it, streams is what goes on in a Pod's containers.
package apiserver
