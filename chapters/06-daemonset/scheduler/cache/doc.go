// Package cache keeps what a scheduler knows: the nodes of a cluster, the Pods
// on them, and what they add up to. A question about a node is a look, and not
// a walk over its Pods.
//
// It promises:
//
//   - The sums of a node are those of the Pods that are on it at any time.
//   - A Pod is counted on one node, also before the node's news of it is heard.
//   - What a plug-in has counted is told of each Pod that comes or leaves.
//
// In reading order: pod.go, amounts.go and guess.go (a Pod, and what it takes);
// ports.go and terms.go (what else it asks for); node.go, nodes.go and order.go
// (where it can go); event.go (what may help one that waits).
package cache
