// Package statefulset keeps Pods that have an identity: each has an ordinal, and
// by that a name, a host name and, from chapter 5 on, a disk. Another Pod that
// gets the ordinal gets all of these.
//
// It promises:
//
//   - There are never two Pods of one name, and a Pod that has gone comes back
//     under its own.
//   - In order means in order, as far as the controller knows: when it looked
//     last, all Pods before one that it makes were available. It takes away one
//     that is too many when all that stay were, and all above it had gone.
//   - A name leads to the Pod that bears it now, and to none when no Pod does.
//
// Its files, in reading order: ordinal.go (a Pod's number), identity.go (a Pod's
// name and labels), plan.go (the Pods that should be there, and those that
// should not), ordinal_range.go (which ordinals these are), next.go (the steps
// to take now), take.go, take_renew.go and take_events.go (taking them, and
// telling of it), claims.go and update.go (the seams that later chapters fill), reconcile.go
// (the loop), claim.go (which Pods are a set's), statefulset.go (what wakes the
// loop), status.go (reporting); zone.go (the Services and their endpoints),
// lookup.go (what a name stands for), answer.go and answer_backward.go (in the
// words of DNS), server.go (asked over a network), resolver.go (asked from a
// Pod); kinds.go, defaults.go and validate.go (what the API fills in and
// refuses).
package statefulset
