// Package oci runs Pods as processes of this machine, in namespaces that runc makes:
// chapter 1's Runtime, with what kubectl logs, exec and attach need, and the network
// in which Pods, nodes and Services find each other.
//
// In reading order:
//
//	seams.go      what it is made from: Config, Images, PodNetwork; and Runtime
//	room.go       namespaces for all of it, which the kernel sweeps
//	runtime.go    a node's containers; elsewhere.go: where there are none
//	sandbox.go    a Pod: the pause process, its address, its files
//	container.go  one attempt to run a container; bundle.go: what runc gets of it
//	spec.go       what runc is told; process.go: which program, and its limits
//	rights.go     who a container may be, and who not
//	child.go      a process that runc has left to us
//	exec.go       another process in a container, its logs, its ports
//	network.go    nodes and their bridges; cable.go: a Pod's link to one
//	services.go   the addresses of Services; rules.go: what the kernel is told
//
// Below it:
//
//	rootfs   a folder, in which /usr is the machine's
//	podinit  the pause process, and process 1 of each container
//	image    finds images and unpacks them
//	stdio    pipes, terminals, logs
//	host     mounts of this machine
//	linux    what is the same in every container
//	nft      rules in the kernel's own form
package oci
