package images

import "io"

// gate lets writes through until it is closed: a process that a command has
// left behind must not write to a client that is not there any more.
type gate struct {
	// turn holds a token, which a writer takes. No mutex: a write may last, and
	// a goroutine that waits for a mutex keeps the time of a test's bubble from
	// passing.
	turn   chan struct{}
	closed bool // guarded by turn
}

func newGate() *gate {
	g := &gate{turn: make(chan struct{}, 1)}
	g.turn <- struct{}{}
	return g
}

// close closes the gate, once no write is under way.
func (g *gate) close() {
	<-g.turn
	g.closed = true
	g.turn <- struct{}{}
}

// pass returns a writer through the gate.
func (g *gate) pass(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return gated{g, w}
}

type gated struct {
	*gate
	io.Writer
}

// Write implements io.Writer.
func (g gated) Write(p []byte) (int, error) {
	<-g.turn
	defer func() { g.turn <- struct{}{} }()
	if g.closed {
		return 0, io.ErrClosedPipe
	}
	return g.Writer.Write(p)
}
