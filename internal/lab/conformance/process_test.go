package conformance_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a command that runs beside the test.
type process struct {
	t    *testing.T
	line string
	in   io.WriteCloser
	out  *output // both streams
	code chan int
}

// startCommand starts a command, which reads what the test writes.
func (u *user) startCommand(args ...string) *process {
	u.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	p := &process{
		t: u.t, line: strings.Join(args, " "), in: write,
		out: &output{}, code: make(chan int, 1),
	}
	go func() {
		p.code <- u.run(ctx, read, p.out, p.out, args)
		write.Close()
	}()
	u.t.Cleanup(func() {
		cancel()
		write.Close()
	})
	return p
}

// sees waits until the command has printed something.
func (p *process) sees(text string) {
	p.t.Helper()
	require.True(p.t, p.out.has(text, limit),
		"kubectl %s: %q is not in %q", p.line, text, p.out)
}

// write types a text, as a person would.
func (p *process) write(text string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, text)
	require.NoError(p.t, err)
}

// ends waits until the command has ended, and returns its exit code.
func (p *process) ends() int {
	p.t.Helper()
	select {
	case code := <-p.code:
		p.code <- code
		return code
	case <-time.After(limit):
		require.Fail(p.t, "it does not end", "kubectl %s: %q", p.line, p.out)
		return -1
	}
}

// output is what has been written so far, for others to look at meanwhile.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{} // closed at the next write
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.written != nil {
		close(o.written)
		o.written = nil
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// has waits until some text has been written.
func (o *output) has(text string, limit time.Duration) bool {
	timeout := time.After(limit)
	for {
		o.mu.Lock()
		found := strings.Contains(o.text.String(), text)
		if o.written == nil {
			o.written = make(chan struct{})
		}
		written := o.written
		o.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-written:
		case <-timeout:
			return false
		}
	}
}
