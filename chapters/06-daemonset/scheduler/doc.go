// Package scheduler decides which Pod goes to which node, and says why to none.
//
// It promises:
//
//   - No Pod is given to two nodes, and no node is given more than it has.
//   - A Pod that fits nowhere is told on how many nodes each question was
//     answered with no, and is tried again when something happens that could
//     help.
//   - What is decided counts before it is heard of; what fails is taken back.
//
// In reading order: filter.go, taints.go, affinity.go and resources.go
// (questions that are answered with yes or no); cycle.go (a scheduling cycle);
// wake.go, park.go and queue.go (how it waits for one); score.go and room.go (marks);
// scheduler.go, bind.go and refuse.go (what is decided is done); preempt.go,
// sacrifice.go, victims.go and evict.go (how room is made); listen.go and decision.go (what
// it hears, and what it tells). Below it, cache keeps what is known of nodes,
// and heap an order; plugins are the other questions and marks of Kubernetes.
package scheduler
