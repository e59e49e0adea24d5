// Package onstage has Kubernetes' own controllers play the scenes of the book's
// pages, and compares what is printed with what the pages have.
//
// On the stage of a scene (package scene) stand kube-controller-manager's
// controllers, made by its own constructors with its own configuration, and
// kube-scheduler, in the place of those that the scene's lab has; kubelets, proxy,
// names, the driver of disks and the API server are the book's. They reach the API
// through client-go, over a pipe, in virtual time, one request after another.
//
// What is made up (names, uids, addresses, ports, versions) is named alike, one to
// one; lines that kubectl sorts by such names, and events as old as each other, are
// compared in any order. All else is compared as it is printed, but for the width of
// columns. What Kubernetes leaves to luck it may do as the book does: a scene is
// played up to twenty times until all that is left has its reason in differences.txt.
//
// What is not as it is where they run:
//
//   - Of nodes that are equal in all else, kube-scheduler takes the first by name,
//     as the book does: a plugin that decides nothing else.
//   - Its feature DRADeviceTaintRules is off: the lab serves no such rules.
//   - The node lifecycle controller looks at nodes each 5.001 s, so not while it
//     taints one. In two scenes it is the book's: see ours.
//   - The attach/detach controller has CSI's drivers alone: others are looked for in a
//     folder, whose changes are told from outside of the bubble.
//   - Events that would have one name get another.
//
// In reading order:
//
//	onstage_test.go    the scenes, one after the other
//	manager_test.go    kube-controller-manager
//	scheduler_test.go  kube-scheduler
//	wire_test.go       their way to the API
//	compare_test.go    what is printed, beside the pages'
//	rename_test.go     what is made up is named alike
//	reasons_test.go    differences.txt is read, verdicts.txt written
package onstage
