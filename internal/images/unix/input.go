package unix

import (
	"context"
	"io"
	"sync"
)

// Input is what several processes read one after the other, each until it has
// had enough or is ended: none takes what the next should get.
type Input struct {
	source io.Reader
	start  sync.Once
	chunks chan []byte // an empty one is an end after which there may be more
	closed chan struct{}
	stop   sync.Once
	turn   chan struct{} // holds a token; a reader must take it
	rest   []byte        // of the last chunk
}

// NewInput returns an Input that reads from source. Close it.
func NewInput(source io.Reader) *Input {
	in := &Input{
		source: source, chunks: make(chan []byte), closed: make(chan struct{}),
		turn: make(chan struct{}, 1),
	}
	in.turn <- struct{}{}
	return in
}

// Close ends all reads. A read from the source may last until that ends.
func (in *Input) Close() { in.stop.Do(func() { close(in.closed) }) }

// Read implements io.Reader.
func (in *Input) Read(p []byte) (int, error) {
	return in.read(context.Background(), p)
}

// Until returns a reader of the same, which ends when ctx does.
func (in *Input) Until(ctx context.Context) io.Reader { return until{in, ctx} }

// until is an Input for one process.
type until struct {
	*Input
	ctx context.Context
}

// Read implements io.Reader.
func (u until) Read(p []byte) (int, error) { return u.read(u.ctx, p) }

func (in *Input) read(ctx context.Context, p []byte) (int, error) {
	select {
	case <-in.turn:
		defer func() { in.turn <- struct{}{} }()
	case <-ctx.Done():
		return 0, io.EOF
	}
	if len(in.rest) == 0 {
		in.startReading()
		select {
		case chunk, more := <-in.chunks:
			if !more || len(chunk) == 0 {
				return 0, io.EOF
			}
			in.rest = chunk
		case <-ctx.Done():
			return 0, io.EOF
		case <-in.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// startReading starts to read from the source, at the first read if not before.
func (in *Input) startReading() { in.start.Do(func() { go in.pump() }) }

// pump brings one chunk after the other from the source.
func (in *Input) pump() {
	defer close(in.chunks)
	for {
		chunk := make([]byte, 4096)
		n, err := in.source.Read(chunk)
		if n > 0 || err == errTransient {
			select {
			case in.chunks <- chunk[:n]:
			case <-in.closed:
				return
			}
		}
		if err != nil && err != errTransient {
			return
		}
	}
}

// MaxLine is how long a line can be that is read as one.
const MaxLine = 1 << 20
