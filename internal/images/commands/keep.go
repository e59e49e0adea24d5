package commands

import (
	"io"

	"reconcile/internal/images/unix"
)

// keep returns a reader of bytes that a process keeps until it ends: a process
// that keeps too much is killed.
func keep(p *unix.Process, r io.Reader) io.Reader { return &kept{p, r, 0} }

type kept struct {
	process *unix.Process
	io.Reader
	size int64
}

// Read implements io.Reader.
func (k *kept) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.size += int64(n)
	// A slice that grows has half as much again to spare.
	if full := k.process.Hold(k.size + k.size/2); full != nil {
		return 0, full
	}
	return n, err
}
