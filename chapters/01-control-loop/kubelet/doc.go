// Package kubelet is what runs on a node: it takes Pods that have none, and
// makes containers be what their Pods say.
//
// It promises:
//
//   - A container that has ended, or cannot be started, is tried again as its
//     Pod says, later each time, and the Pod's status says how it is.
//   - A Pod that is deleted has its grace, and leaves nothing on the node.
//   - What belongs to no Pod any more is ended, whichever kubelet started it.
//
// In reading order: runtime.go and volumes.go (what a kubelet needs of its
// machine); firstcome.go (a node for a Pod); kubelet.go, machine.go and
// memory.go (the controller); steps.go, restarts.go, sidecar.go and image.go
// (what is to be done); status.go and lost.go (what is reported, and of what the
// runtime has lost); probe.go and verdict.go (what is asked, and what the answers
// add up to); notes.go (what is told to people).
package kubelet
