//go:build linux

package stdio

import (
	"io"
	"os/exec"
	"sync"

	"github.com/containerd/go-runc"
	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// Pipes is what a process has for input and output: pipes or, if it wants one, a
// terminal, of which runc sends us the end where the screen and the keys are.
type Pipes struct {
	runc.IO // what runc starts the process with
	socket  *runc.Socket
	screen  screen // nil: pipes
	copying sync.WaitGroup

	closing sync.Mutex
	closed  bool // the screen has no size any more
}

// A screen is our end of a terminal.
type screen interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// NewPipes returns what a process is started with. Without input there is
// nothing to read for it.
func NewPipes(of *specs.Process, input bool) (*Pipes, error) {
	if of.Terminal {
		socket, err := runc.NewTempConsoleSocket()
		return &Pipes{IO: nothing{}, socket: socket}, err
	}
	pipes, err := runc.NewPipeIO(int(of.User.UID), int(of.User.GID),
		func(o *runc.IOOption) { o.OpenStdin = input })
	return &Pipes{IO: pipes}, err
}

// nothing is what runc itself has when the process has a terminal.
type nothing struct{}

func (nothing) Close() error           { return nil }
func (nothing) Stdin() io.WriteCloser  { return nil }
func (nothing) Stdout() io.ReadCloser  { return nil }
func (nothing) Stderr() io.ReadCloser  { return nil }
func (nothing) Set(_ *exec.Cmd)        {}
func (nothing) CloseAfterStart() error { return nil }

// Console returns the socket as runc's options have it: nil if there is none.
func (s *Pipes) Console() runc.ConsoleSocket {
	if s.socket == nil {
		return nil
	}
	return s.socket
}

// Start begins to copy what the process prints. A nil writer is one that
// throws away. ended waits for the last of it.
func (s *Pipes) Start(stdout, stderr io.Writer) (err error) {
	if s.socket != nil {
		if s.screen, err = s.socket.ReceiveMaster(); err != nil {
			return err
		}
		s.copy(stdout, s.screen)
		return nil
	}
	s.IO.(runc.StartCloser).CloseAfterStart()
	s.copy(stdout, s.Stdout())
	s.copy(stderr, s.Stderr())
	return nil
}

func (s *Pipes) copy(to io.Writer, from io.Reader) {
	if to == nil {
		to = io.Discard
	}
	s.copying.Go(func() {
		if _, err := io.Copy(to, from); err != nil {
			io.Copy(io.Discard, from) // it may print, even if no reader is left
		}
	})
}

// Wait waits until all is copied that was printed.
func (s *Pipes) Wait() { s.copying.Wait() }

// Connect passes on what a user types, on a terminal of the user's size, until
// that is done; once says that it is the end of all input. A terminal has none.
func (s *Pipes) Connect(with Streams, once bool) {
	if s.screen != nil && with.Resize != nil {
		go s.resize(with.Resize)
	}
	switch pipe := s.Stdin(); {
	case with.Stdin == nil:
	case s.screen != nil:
		io.Copy(s.screen, with.Stdin)
	case pipe != nil:
		io.Copy(pipe, with.Stdin)
		if once {
			pipe.Close()
		}
	}
}

// resize tells the process the size of its terminal.
func (s *Pipes) resize(sizes <-chan Size) {
	for size := range sizes {
		if !s.setSize(size) {
			return
		}
	}
}

// setSize reports whether there is a terminal still.
func (s *Pipes) setSize(size Size) bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if !s.closed {
		unix.IoctlSetWinsize(int(s.screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Height, Col: size.Width})
	}
	return !s.closed
}

// Close gives back what is left.
func (s *Pipes) Close() {
	s.IO.Close()
	if s.socket != nil {
		s.socket.Close()
	}
	s.closing.Lock()
	defer s.closing.Unlock()
	s.closed = true
	if s.screen != nil {
		s.screen.Close()
	}
}
