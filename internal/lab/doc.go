// Package lab puts a whole control plane together from the book's parts: the
// store and its HTTP API, the controllers of all chapters, and simulated nodes.
// It starts nothing by itself and reads no clock but time's, so that it runs as
// well in a test's bubble, a step at a time, as in a process of its own.
//
//	lab.go          the assembly; Restart, Close
//	run.go          Run, and a step at a time
//	controllers.go  the table of controllers
//	choose.go       which of them run: kube-controller-manager's syntax
//	with.go         where an exercise has another way than the chapters
//	idle.go         which kinds no controller acts on
//	initial.go      what a cluster holds before the first request
//	class.go        the objects that a new cluster begins with, and their uids
//	node.go         Node objects, as kubelets register them
//	machine.go      a node as its kubelet finds it: its volumes, its variables
//	hardware.go     what makes machines and runs containers; here: simulated
//	processes_linux.go  and as processes of this machine
//	eviction.go     Pods that have had their time, or fill their disk
//	resolver.go     whom a Pod asks for names, and what a name may be short for
//	sessions.go     a client of a Service meets the same Pod again
//	power.go        machines that are added, cut off, switched off and on
//	plug.go         what stands between a machine and the API
//	network.go      what connects Pods: built in, or a plug-in that has to come
//	nodeport.go     which Service is behind a port of all nodes
//	operator.go     the same for users, over HTTP
//	look.go         who looks: what is recorded, held and broken
//	why.go          what an object waits for
//	admission.go    a client that is refused what the API would refuse
//	namespace.go    a namespace that is deleted is emptied first
//	remains.go      what such a namespace waits for
//	belonging.go    what every namespace has: an account, a certificate
//	compaction.go   how far back a watch can go
//	expiry.go       events are forgotten after an hour
//	elsewhere.go    the controllers and machines for another cluster
//	kubeconfig.go   where clients look for a lab
//
// The process around it is in up, the file that keeps its state in snapshot. What
// containers ask to have run when they start and end is run by hooks.
package lab
