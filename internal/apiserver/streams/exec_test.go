package streams_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"reconcile/internal/apiserver/streams"
)

// executor returns client-go's, which runs commands.
func executor(
	t *testing.T, config *rest.Config, subresource string, query url.Values,
) remotecommand.Executor {
	e, err := remotecommand.NewWebSocketExecutor(
		config, http.MethodGet, at(config, subresource, query).String())
	require.NoError(t, err)
	return e
}

func run(names ...string) url.Values {
	query := url.Values{"command": {"do", "it"}}
	for _, name := range names {
		query.Set(name, "true")
	}
	return query
}

func TestACommandPrintsAndEndsWithACode(t *testing.T) {
	for _, code := range []int{0, 3, 255} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			config := listen(t, web(), containers{exec: func(
				_ context.Context, command []string, s streams.IO,
			) (int, error) {
				fmt.Fprint(s.Stdout, command)
				fmt.Fprint(s.Stderr, "oops")
				return code, nil
			}})
			var out, problems bytes.Buffer
			err := executor(t, config, "exec", run("stdout", "stderr")).
				StreamWithContext(t.Context(), remotecommand.StreamOptions{
					Stdout: &out, Stderr: &problems,
				})
			assert.Equal(t, "[main do it]", out.String())
			assert.Equal(t, "oops", problems.String())
			if code == 0 {
				assert.NoError(t, err)
				return
			}
			var exit exec.CodeExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, code, exit.Code)
		})
	}
}

func TestACommandThatCannotRunSaysWhy(t *testing.T) {
	config := listen(t, web(), containers{exec: func(
		context.Context, []string, streams.IO,
	) (int, error) {
		return 0, errors.New("no such thing")
	}})
	err := executor(t, config, "exec", run("stdout")).StreamWithContext(
		t.Context(), remotecommand.StreamOptions{Stdout: io.Discard})
	assert.EqualError(t, err, "Internal error occurred: "+
		"error executing command in container: no such thing")
}

func TestACommandReadsAllThatComesInAndItsEnd(t *testing.T) {
	config := listen(t, web(), containers{exec: echo})
	much := strings.Repeat("0123456789abcdef", 1<<18) // 4 MB
	var out bytes.Buffer
	err := executor(t, config, "exec", run("stdin", "stdout")).StreamWithContext(
		t.Context(), remotecommand.StreamOptions{
			Stdin: strings.NewReader(much), Stdout: &out,
		})
	require.NoError(t, err)
	assert.True(t, much == out.String(), "what came back is not what was sent")
}

// echo copies its input, as cat does.
func echo(_ context.Context, _ []string, s streams.IO) (int, error) {
	_, err := io.Copy(s.Stdout, s.Stdin)
	return 0, err
}

func TestWhatNobodyReadsDoesNotHoldUpTheAnswer(t *testing.T) {
	config := listen(t, web(), containers{exec: func(
		_ context.Context, _ []string, s streams.IO,
	) (int, error) {
		io.CopyN(io.Discard, s.Stdin, 1)
		fmt.Fprint(s.Stdout, "enough")
		return 0, nil
	}})
	var out bytes.Buffer
	err := executor(t, config, "exec", run("stdin", "stdout")).StreamWithContext(
		t.Context(), remotecommand.StreamOptions{
			Stdin: strings.NewReader(strings.Repeat("x", 8<<20)), Stdout: &out,
		})
	require.NoError(t, err)
	assert.Equal(t, "enough", out.String())
}

func TestStreamsThatAreNotAskedForAreNotThere(t *testing.T) {
	var got streams.IO
	config := listen(t, web(), containers{exec: func(
		_ context.Context, _ []string, s streams.IO,
	) (int, error) {
		got = s
		return 0, nil
	}})
	err := executor(t, config, "exec", run("stderr")).StreamWithContext(
		t.Context(), remotecommand.StreamOptions{Stderr: io.Discard})
	require.NoError(t, err)
	assert.Nil(t, got.Stdin)
	assert.Nil(t, got.Stdout)
	assert.NotNil(t, got.Stderr)
	assert.False(t, got.TTY)
}

// sizes is a terminal whose window is changed.
type sizes chan remotecommand.TerminalSize

func (s sizes) Next() *remotecommand.TerminalSize {
	size, ok := <-s
	if !ok {
		return nil
	}
	return &size
}

func TestATerminalIsOneStreamAndHasASize(t *testing.T) {
	window := make(sizes, 1)
	window <- remotecommand.TerminalSize{Width: 80, Height: 24}
	config := listen(t, web(), containers{exec: func(
		_ context.Context, _ []string, s streams.IO,
	) (int, error) {
		fmt.Fprintf(s.Stdout, "%v %v %v", s.TTY, s.Stderr == nil, <-s.Resize)
		close(window)
		return 0, nil
	}})
	var out bytes.Buffer
	err := executor(t, config, "exec", run("stdin", "stdout", "stderr", "tty")).
		StreamWithContext(t.Context(), remotecommand.StreamOptions{
			Stdin: strings.NewReader(""), Stdout: &out, Tty: true,
			TerminalSizeQueue: window,
		})
	require.NoError(t, err)
	assert.Equal(t, "true true {80 24}", out.String())
}

func TestAClientThatGoesAwayEndsTheCommand(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	config := listen(t, web(), containers{exec: func(
		ctx context.Context, _ []string, s streams.IO,
	) (int, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return 0, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	err := executor(t, config, "exec", run("stdout")).StreamWithContext(
		ctx, remotecommand.StreamOptions{Stdout: io.Discard})
	assert.ErrorIs(t, err, context.Canceled)
	<-ended
}

func TestAttachPassesBothWaysAndDoesNotTellTheExitCode(t *testing.T) {
	config := listen(t, web(), containers{exec: func(
		ctx context.Context, command []string, s streams.IO,
	) (int, error) {
		assert.Equal(t, []string{"main"}, command)
		_, err := echo(ctx, command, s)
		return 7, err
	}})
	var out bytes.Buffer
	err := executor(t, config, "attach", run("stdin", "stdout")).StreamWithContext(
		t.Context(), remotecommand.StreamOptions{
			Stdin: strings.NewReader("hello"), Stdout: &out,
		})
	require.NoError(t, err)
	assert.Equal(t, "hello", out.String())
}
