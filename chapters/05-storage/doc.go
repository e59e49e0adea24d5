// Package storage keeps what Pods write longer than the Pods. A user who needs a
// disk writes a claim, an administrator who has one makes a volume, and both are
// brought together.
//
// It promises:
//
//   - A volume is one claim's, and a claim has one volume, from the first write
//     to the last, whatever dies in between.
//   - The data on a volume that is to be kept are neither deleted nor given to
//     another claim.
//   - A disk that one node at a time can have is not given to a second while the
//     first may have it, unless that is silent for six minutes or said to be off.
//   - A claim does not go while a Pod on a node uses it, nor a volume while a
//     claim is bound to it.
//   - The Pod that gets an ordinal of a StatefulSet gets its disk.
//
// Its files, in reading order: match.go and supply*.go (which volume a claim
// gets), bind*.go (two pointers), binder.go, claim*.go and volume*.go (the loop that
// reconciles both sides), provisioner.go (a volume on demand), protect*.go (not while
// it is in use); consumers.go and consumer.go (when a Pod may start, and where),
// attacher*.go and attach*.go (on which node a disk is), mounts*.go, disk*.go and
// config*.go (the contents of its folders); disks.go and retention.go (one for each
// ordinal); words.go, find.go, kinds.go and defaults.go (words, indices, and what is
// filled in).
package storage
