package streams

import (
	"context"
	"io"
	"sync"
)

// input holds what has come in on a stream and has not been read yet: a megabyte at
// most, then the client waits. Until then the receiver is not held up by a command
// that does not read, and sees the client go.
type input struct {
	chunks chan []byte
	rest   []byte // of the last chunk; the reader's
	ended  chan struct{}
	end    func() // says that this was all; may be called again
}

func newInput() *input {
	ended := make(chan struct{})
	return &input{
		chunks: make(chan []byte, (1<<20)/chunk), ended: ended,
		end: sync.OnceFunc(func() { close(ended) }),
	}
}

// fill adds a message, piece by piece. It gives up when ctx ends.
func (s *input) fill(ctx context.Context, message io.Reader) {
	for {
		piece := make([]byte, chunk)
		n, err := message.Read(piece)
		if n > 0 {
			select {
			case s.chunks <- piece[:n]:
			case <-s.ended:
				return
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (s *input) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		rest, err := s.next()
		if err != nil {
			return 0, err
		}
		s.rest = rest
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next returns the next chunk. Chunks that came before the end come before the
// end.
func (s *input) next() ([]byte, error) {
	select {
	case piece := <-s.chunks:
		return piece, nil
	default:
	}
	select {
	case piece := <-s.chunks:
		return piece, nil
	case <-s.ended:
	}
	select {
	case piece := <-s.chunks:
		return piece, nil
	default:
		return nil, io.EOF
	}
}
