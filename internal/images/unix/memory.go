package unix

import "errors"

// DefaultMemory is how many bytes the processes of a box may hold unless
// SetMemory says otherwise, and MaxMemory the most that it may say.
const (
	DefaultMemory = 256 << 20
	MaxMemory     = 1 << 30
)

// ErrNoMemory says that a box holds more than it may. It is about to end.
var ErrNoMemory = errors.New("out of memory")

// SetMemory says how much the processes of a box may hold: 0 is DefaultMemory.
func (b *Box) SetMemory(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.memory = min(bytes, MaxMemory)
	if bytes == 0 {
		b.memory = DefaultMemory
	}
}

// Memory returns how many bytes the processes hold, and may hold.
func (b *Box) Memory() (held, bound int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, b.memory
}

// Holds returns how many bytes p holds.
func (p *Process) Holds() int64 {
	p.Box.mu.Lock()
	defer p.Box.mu.Unlock()
	return p.held
}

func (b *Box) bound() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.memory
}

// OutOfMemory reports whether the box has ended because it held too much.
func (b *Box) OutOfMemory() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exhausted
}

// Hold says how much p holds from now on, or is about to. If that is too much,
// all that runs in the box is killed and Hold returns ErrNoMemory, as in a
// control group with memory.oom.group, which the kubelet makes of a container.
func (p *Process) Hold(bytes int64) error {
	p.Box.mu.Lock()
	p.Box.held += bytes - p.held
	p.held = bytes
	p.Box.exhausted = p.Box.exhausted || p.Box.held > p.Box.memory
	exhausted := p.Box.exhausted
	p.Box.mu.Unlock()
	if !exhausted {
		return nil
	}
	p.Box.End()
	return ErrNoMemory
}
