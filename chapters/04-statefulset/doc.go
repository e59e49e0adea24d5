// Package statefulset keeps Pods that are somebody: each has an ordinal, and by
// that a name, a host name and, from chapter 5 on, a disk. Another Pod that gets
// the ordinal gets all of it.
//
// What it promises:
//
//   - There are never two Pods of one name, and a Pod that has gone comes back
//     under its own.
//   - In order means in order: no Pod is made before all before it are available,
//     and none is taken away while another is not.
//   - A name leads to whoever bears it now, and to nobody where nobody does.
//
// In reading order: ordinal.go (who is who), identity.go (what makes a Pod that
// one), plan.go (who should be there, and who should not), next.go (what is to
// be done now), take.go (doing it), status.go (what there is to say),
// statefulset.go (the loop), claims.go and update.go (what later chapters fill);
// zone.go (what a name stands for), answer.go (in the words of DNS), server.go
// (asked over a network), resolver.go (asked from a Pod); kinds.go, defaults.go
// and validate.go (at the door).
package statefulset
