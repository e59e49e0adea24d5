// Package why says what an object waits for: the chain from it to what has to happen
// next, and the command that makes that happen, where one does.
//
// In reading order: why.go (chains, and who is asked), loop.go (what a loop does with a
// key), sets.go and stateful.go (controllers that make Pods), pod.go, container.go and
// scheduling.go (Pods), node.go, volume.go (claims and volumes), ending.go (what is being
// deleted), others.go (Services, budgets, namespaces), text.go (lines for a terminal), notes.go
// (what was waited for, over time).
package why
