// Package node looks after nodes: it has them say that they live, notices when
// one falls silent, keeps Pods away from it, and has those go that are on it.
//
// It promises:
//
//   - A node that says nothing is noticed within fifty seconds, by our clock and
//     not by its own.
//   - A Pod on it stays for as long as its tolerations say, and is never started
//     elsewhere in the name of being gone.
//   - Nothing is decided by a cache alone: before a node is given up, or a Pod
//     deleted, the store is asked.
//
// In reading order: heartbeat.go and beats.go (signs of life); lifecycle.go and
// condition.go (silence); taint.go (what keeps Pods away); stay.go and evict.go
// (what has them go); drain.go (what asks them to); find.go (Pods by their nodes). Below
// it, zone counts how many nodes fail at once, budget what owners of Pods can
// spare, and podgc clears away what no kubelet will.
package node
