// Package servers builds Kubernetes' own servers, of the version that go.mod
// names, and runs them on this machine: etcd, kube-apiserver, and those of
// kube-controller-manager's controllers that are asked for, with kube-scheduler.
//
// All listen on 127.0.0.1 alone, trust no other certificate than those that they
// were started with, and keep what they know in a folder that goes with them.
//
//	build.go    from the module proxy, into the user's cache
//	certs.go    an authority, and who it vouches for
//	process.go  a process, its log, its end
//	cluster.go  the servers, in their order
//	flags.go    what they are started with: as kubeadm starts them
//	clients.go  kube-controller-manager and kube-scheduler
//	etcd.go     etcd: killed, started, restored
//	disk.go     etcd's disk: full
//	suite.go    what the tests of conformance import
//	spoiler.go  between clients and kube-apiserver: a share of requests fails
//	wire.go     between a client and kube-apiserver: what flows one way is lost
//	clock.go    programs whose clock can be set while they run
package servers
