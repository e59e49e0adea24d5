// Package snapshot keeps the objects of a store in a file, so that a cluster
// outlives its process. The file is JSON, with one object a line.
//
// It promises:
//
//   - The file is at any moment whole: the old one, or the new.
//   - A process that is killed loses the writes of its last second.
//   - A file that is not ours, or damaged, is refused and left as it is.
//   - Two processes never use one file.
//
// In reading order: state.go (what is kept), decode.go and encode.go (as text),
// keeper.go (when to write).
package snapshot
