// Package daemonset keeps one Pod on each node that should run it, and keeps the
// revisions of the templates of DaemonSets and StatefulSets.
//
// It promises:
//
//   - A DaemonSet has one Pod on each node that should run it, and a second only
//     while an update with surge replaces the first.
//   - A revision is not lost while the history is long enough, and a rollback gives
//     it the next number.
//   - Below its partition a StatefulSet's Pod is created again at the current
//     revision.
//
// In reading order: daemon.go, daemon_walk.go and daemon_node.go (the DaemonSet, by
// a walk over all nodes), with the other daemon*.go (its Pods, the status, an
// update); revision*.go and stateful*.go (revisions, and which Pod is of which);
// tolerate.go and untolerated.go, affinity.go and wants.go, and condition.go (taints
// and tolerations, node affinity, Pod conditions, for the packages below too);
// kinds.go and defaults.go (for the API server).
//
// Below it, node has the controllers of nodes, and scheduler schedules Pods.
// Neither is imported here. drain is a test of kubectl's own, which judges no exercise.
package daemonset
