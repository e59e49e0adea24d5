// Package hooks runs what a container asks to have run when it has started, and
// before it is stopped: its postStart and its preStop. It stands between a
// kubelet and its runtime. The kubelet waits for the postStart (chapter 1's
// Machine.PostStart), and knows of no preStop.
//
//	hooks.go    when hooks run, and what becomes of containers whose hooks fail
//	handler.go  a command, a request, a sleep
//
// (Kubernetes: startContainer and killContainer in
// pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/lifecycle.)
package hooks
