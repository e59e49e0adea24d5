package images_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
)

func TestACommandThatCannotRunIsRefusedInTheRuntimesWords(t *testing.T) {
	for name, c := range map[string]struct {
		command []string
		why     string
	}{
		"not in PATH":   {[]string{"foo"}, `exec: "foo": executable file not found in $PATH`},
		"not there":     {[]string{"/foo"}, `exec: "/foo": stat /foo: no such file or directory`},
		"no executable": {[]string{"/etc/hosts"}, `exec: "/etc/hosts": permission denied`},
		"a directory":   {[]string{"/etc"}, `exec: "/etc": permission denied`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "nginx"))
				_, err := r.machines.Exec(
					t.Context(), p, "main", c.command, streams.IO{})
				require.Error(t, err)
				assert.Regexp(t, `^failed to exec in container: failed to start exec `+
					`"[0-9a-f]{64}": OCI runtime exec failed: exec failed: `+
					`unable to start container process: `, err.Error())
				assert.True(t, strings.HasSuffix(err.Error(), c.why+": unknown"), err)
			})
		})
	}
}

func TestACommandInWhatDoesNotRunIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "true"))
		synctest.Wait()
		_, err := r.machines.Exec(t.Context(), p, "main", []string{"ls"}, streams.IO{})
		assert.EqualError(t, err, `container not found ("main")`)
	})
}

func TestACommandEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		in, _ := io.Pipe()
		before := time.Now()
		r.machines.Exec(ctx, p, "main", []string{"cat"}, streams.IO{Stdin: in})
		assert.Equal(t, time.Minute, time.Since(before))
		in.Close()
		synctest.Wait()
		out, _ := r.exec(p, "ps")
		assert.NotContains(t, out, "cat")
	})
}

// screen fails the test when it is written to after it was turned off.
type screen struct {
	t   *testing.T
	off atomic.Bool
}

func (s *screen) Write(p []byte) (int, error) {
	runtime.Gosched()
	assert.False(s.t, s.off.Load(), "it prints to nobody")
	return len(p), nil
}

func TestWhatACommandLeavesBehindCannotPrintAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		for range 100 {
			s := &screen{t: t}
			code, err := r.machines.Exec(t.Context(), p, "main",
				[]string{"sh", "-c", "seq 999999999 & seq 999999999 & seq 999999999 & echo soon"},
				streams.IO{Stdout: s})
			s.off.Store(true)
			require.NoError(t, err)
			assert.Zero(t, code)
		}
	})
}

// typist types at a terminal and looks at its screen.
type typist struct {
	keys   *io.PipeWriter
	screen bytes.Buffer
	done   chan int
}

func (r *rig) sit(p *corev1.Pod, command ...string) *typist {
	keys, in := io.Pipe()
	at := &typist{keys: in, done: make(chan int, 1)}
	go func() {
		code, err := r.machines.Exec(r.t.Context(), p, "main", command,
			streams.IO{Stdin: keys, Stdout: &at.screen, TTY: true})
		assert.NoError(r.t, err)
		at.done <- code
	}()
	synctest.Wait()
	return at
}

func (at *typist) types(text string) string {
	before := at.screen.Len()
	io.WriteString(at.keys, text)
	synctest.Wait()
	return at.screen.String()[before:]
}

func TestATerminalShowsWhatIsTypedAndAsksForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		assert.Equal(t, "/ # ", at.screen.String())
		assert.Equal(t, "hostname\r\nweb\r\n/ # ", at.types("hostname\r"))
		assert.Equal(t, "cd tmp\r\n/tmp # ", at.types("cd tmp\r"))
		assert.Equal(t, "ec\x1b[D \x1b[D\x1b[D \x1b[Decho a\r\na\r\n/tmp # ", at.types("ec\x7f\x7fecho a\r"))
		assert.Equal(t, "if true\r\n> ", at.types("if true\r"))
		assert.Equal(t, "then echo b; fi\r\nb\r\n/tmp # ", at.types("then echo b; fi\r"))
		assert.Equal(t, "foo\r\nsh: foo: not found\r\n/tmp # ", at.types("foo\r"))
		assert.Equal(t, "exit 3\r\n", at.types("exit 3\r"))
		assert.Equal(t, 3, <-at.done)
		at.keys.Close()
	})
}

func TestCtrlCEndsTheCommandAndNotTheShell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sh")
		at.types("sleep 1000; echo never\r")
		assert.Equal(t, "^C\r\n/ # ", at.types("\x03"))
		assert.Equal(t, "cat\r\n", at.types("cat\r"))
		assert.Equal(t, "hi\r\nhi\r\n", at.types("hi\r"))
		assert.Equal(t, "/ # ", at.types("\x04"), "ctrl-D ends cat")
		at.types("\x04")
		assert.Equal(t, 0, <-at.done, "and then the shell")
		at.keys.Close()
	})
}

func TestCtrlCEndsTheLoopOfAnInteractiveShellThatIsProcess1(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("loop", "mysql:5.7", "bash", "-ic", "while sleep 1; do echo again; done")
		p.Spec.Containers[0].Stdin, p.Spec.Containers[0].TTY = true, true
		r.start(p)
		time.Sleep(1500 * time.Millisecond) // the loop has begun
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := r.machines.Attach(ctx, p, "main",
			streams.IO{Stdin: strings.NewReader("\x03"), Stdout: io.Discard, TTY: true})
		assert.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, 130, r.ended(p).ExitCode, "the loop ends, and with it the container")
	})
}

func TestCtrlCEndsACommandWithoutAShell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		at := r.sit(p, "sleep", "1000")
		at.types("\x03")
		assert.Equal(t, 130, <-at.done)
		at.keys.Close()
	})
}

// attach attaches to the container of a Pod.
func (r *rig) attach(p *corev1.Pod, in io.Reader) (out string, code int) {
	r.t.Helper()
	var seen bytes.Buffer
	code, err := r.machines.Attach(r.t.Context(), p, "main",
		streams.IO{Stdin: in, Stdout: &seen, Stderr: &seen})
	require.NoError(r.t, err)
	return seen.String(), code
}

func TestWhoAttachesTalksToTheFirstProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "cat")
		p.Spec.Containers[0].Stdin = true
		p.Spec.Containers[0].StdinOnce = true
		r.start(p)
		out, code := r.attach(p, strings.NewReader("hello\n"))
		assert.Equal(t, "hello\n", out)
		assert.Zero(t, code)
		assert.Equal(t, "hello\n", r.logs(p, corev1.PodLogOptions{}))
	})
}

// containerd ends the input of a container with that of its only client, but not if
// it is a terminal.
func TestATerminalIsNotAtItsEndWithItsOnlyClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sh")
		p.Spec.Containers[0].Stdin, p.Spec.Containers[0].StdinOnce = true, true
		p.Spec.Containers[0].TTY = true
		r.start(p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.machines.Attach(ctx, p, "main",
			streams.IO{Stdin: strings.NewReader("echo one\r"), Stdout: io.Discard, TTY: true})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Nil(t, r.ended(p))
	})
}

func TestTheInputOfAContainerOutlivesWhoAttaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sh", "-c", "read a; read b; echo $a $b")
		p.Spec.Containers[0].Stdin = true
		r.start(p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.machines.Attach(ctx, p, "main",
			streams.IO{Stdin: strings.NewReader("one\n")})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		out, _ := r.attach(p, strings.NewReader("two\n"))
		assert.Equal(t, "one two\n", out)
	})
}

// A key that takes one back, and the one that ends a line, are the terminal's.
func TestWhatIsTypedIntoAContainerWithATerminalPassesThroughIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sh", "-c", "read a; echo read $a; sleep 1")
		p.Spec.Containers[0].Stdin, p.Spec.Containers[0].TTY = true, true
		r.start(p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var seen bytes.Buffer
		_, err := r.machines.Attach(ctx, p, "main", streams.IO{
			Stdin: strings.NewReader("ab\x7fc\r"), Stdout: &seen, TTY: true})
		assert.NoError(t, err)
		assert.Contains(t, seen.String(), "read ac\r\n")
	})
}

func TestWhoAttachesSeesWhatIsPrintedFromThenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sh", "-c",
			"echo before; sleep 5; printf now; sleep 5; exit 3"))
		time.Sleep(time.Second)
		out, code := r.attach(p, nil)
		assert.Equal(t, "now", out)
		assert.Equal(t, 3, code)
	})
}

func TestProbesRunCommandsInTheContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		out, code, err := r.runtime.Exec(
			t.Context(), p.UID, "main", []string{"cat", "/tmp/healthy"})
		require.NoError(t, err)
		assert.Equal(t, "cat: /tmp/healthy: No such file or directory", out)
		assert.Equal(t, 1, code)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = r.runtime.Exec(ctx, p.UID, "main", []string{"sleep", "9"})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
