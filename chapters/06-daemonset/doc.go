// Package daemonset keeps one Pod on each node that is meant, and remembers
// what the templates of DaemonSets and StatefulSets were.
//
// It promises:
//
//   - Of a DaemonSet's Pods there is one on each node that is meant, and beside
//     its successor no second.
//   - A version that was once is not lost while the history is long enough, and
//     going back is going forward: it gets the next number.
//   - Below its partition a StatefulSet's Pod comes back as it was.
//
// In reading order: tolerate.go, affinity.go and condition.go (what a node and
// a Pod say of each other, for the packages below too); daemon.go,
// daemon_walk.go and daemon_survey.go (one on each, by a walk over all nodes),
// with the other daemon*.go (one node, its Pod, the status, an update);
// ledger*.go (what the walk becomes when it costs too much); revision*.go and
// stateful*.go (versions, and which Pod is of which); kinds.go, defaults.go and
// validate.go (at the door).
//
// Below it, node looks after nodes, and scheduler decides where Pods go.
// Neither is imported here.
package daemonset
