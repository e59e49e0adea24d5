// Package oci runs Pods as processes of this machine, in namespaces that runc makes:
// chapter 1's Runtime, with what kubectl logs, exec and attach need, and the network
// in which Pods, nodes and Services find each other.
//
// In reading order:
//
//	seams      what it is made from: Config, Images, PodNetwork; and Runtime
//	room       namespaces for all of it, which the kernel sweeps
//	runtime    a node's containers
//	sandbox    a Pod: the pause process, its address, its files
//	container  one attempt to run a container; bundle: what runc gets of it
//	spec       what runc is told
//	rights     who a container may be, and who not
//	child      a process that runc has left to us
//	exec       another process in a container, its logs, its ports
//	network    nodes and their bridges; cable: a Pod's link to one
//	services   the addresses of Services; rules: what the kernel is told of them
//
// Below it:
//
//	rootfs   an empty folder, in which /usr is the machine's
//	podinit  the pause process, and process 1 of each container
//	image    finds images and unpacks them
//	stdio    pipes, terminals, logs
//	host     mounts of this machine
//	linux    what is the same in every container
//	nft      rules in the kernel's own form
package oci
