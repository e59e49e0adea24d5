package images

import (
	"context"
	"io"
	"sync"
)

// keyboard is the standard input of a container: the clients that attach type
// at it.
type keyboard struct {
	once   bool // the first to attach is the only one
	keys   chan []byte
	closed chan struct{}
	close  func()
	rest   []byte // the reader's
}

func newKeyboard(once bool) *keyboard {
	closed := make(chan struct{})
	return &keyboard{
		once: once, keys: make(chan []byte), closed: closed,
		close: sync.OnceFunc(func() { close(closed) }),
	}
}

// attach passes on what in says, until it ends or ctx does.
func (k *keyboard) attach(ctx context.Context, in io.Reader) {
	if k.once {
		defer k.close()
	}
	for {
		keys := make([]byte, 4096)
		n, err := in.Read(keys)
		if n > 0 {
			select {
			case k.keys <- keys[:n]:
			case <-k.closed:
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
func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.rest) == 0 {
		select {
		case k.rest = <-k.keys:
		case <-k.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, k.rest)
	k.rest = k.rest[n:]
	return n, nil
}
