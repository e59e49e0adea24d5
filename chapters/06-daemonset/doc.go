// Package daemonset decides where Pods run: one on each node, or on the node
// that suits best, and nowhere that has fallen silent. And it remembers what
// they were before.
//
// What it promises:
//
//   - A node that says nothing is noticed, and its Pods get the time that they
//     have asked for, and no less.
//   - No Pod is given to two nodes, and no node is given more than it has.
//   - Of a DaemonSet's Pods there is one on each node that is meant, and beside
//     its successor no second.
//   - A version that was once is not lost while the history is long enough, and
//     going back is going forward: it gets the next number.
//
// In reading order: tolerate.go and affinity.go (what a node and a Pod say of
// each other); node*.go (heartbeats, silence, taints, eviction, budgets);
// schedule*.go, filter*.go, score*.go and preempt*.go (who decides); daemon*.go
// (one on each); revision*.go and stateful*.go (versions, and who gets which);
// kinds.go, defaults.go and validate.go (at the door).
package daemonset
