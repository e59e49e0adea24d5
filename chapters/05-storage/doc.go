// Package storage keeps what Pods write longer than the Pods. Whoever needs a
// disk writes a claim, whoever has one makes a volume, and both are brought
// together.
//
// What it promises:
//
//   - A volume is one claim's, and a claim has one volume, from the first write
//     to the last, whatever dies in between.
//   - What is on a volume that is to be kept is neither deleted nor given to
//     anybody else.
//   - A claim does not go while a Pod on a node uses it, nor a volume while a
//     claim is bound to it.
//   - Whoever gets an ordinal of a StatefulSet gets its disk.
//
// In reading order: match.go and supply.go (which volume a claim gets), rack.go
// (found without a look at all others), bind.go (two pointers), binder.go,
// claim.go and volume.go (the loop that looks at both sides), provisioner.go (a
// volume on demand), protect.go (not while it is in use); consumer.go (when a Pod
// may start, and where), mounts*.go, disk*.go and config*.go (what is in its
// folders); disks.go and retention.go (one for each ordinal); words.go, find.go,
// kinds.go, defaults.go and validate.go (words, indices, and at the door).
package storage
