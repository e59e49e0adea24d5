//go:build linux

package stdio_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/stdio"
)

// writer is a function that is written to.
type writer func(text []byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }

// A program has printed 1, then 2 to its other pipe, then 3, and the first pipe is
// read last.
func TestLogHasTheOrderInWhichPipesAreRead(t *testing.T) {
	log, err := stdio.NewLog(filepath.Join(t.TempDir(), "0.log"))
	require.NoError(t, err)
	pipes, err := stdio.NewPipes(&specs.Process{User: specs.User{
		UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}}, false)
	require.NoError(t, err)
	defer pipes.Close()
	var program exec.Cmd
	pipes.Set(&program)
	fmt.Fprintln(program.Stdout, 1)
	fmt.Fprintln(program.Stderr, 2)
	fmt.Fprintln(program.Stdout, 3)
	second := make(chan struct{})
	require.NoError(t, pipes.Start(writer(func(text []byte) (int, error) {
		<-second
		return log.Writer(corev1.LogStreamStdout).Write(text)
	}), writer(func(text []byte) (int, error) {
		defer close(second)
		return log.Writer(corev1.LogStreamStderr).Write(text)
	})))
	pipes.Wait()
	log.End()
	shown := func(opts corev1.PodLogOptions) string {
		text, err := io.ReadAll(log.Reader(t.Context(), &opts))
		require.NoError(t, err)
		return string(text)
	}
	assert.Equal(t, "2\n1\n3\n", shown(corev1.PodLogOptions{}))
	assert.Equal(t, "1\n3\n",
		shown(corev1.PodLogOptions{Stream: new(corev1.LogStreamStdout)}))
	var times []string
	for line := range strings.Lines(shown(corev1.PodLogOptions{Timestamps: true})) {
		at, _, _ := strings.Cut(line, " ")
		times = append(times, at)
	}
	assert.True(t, slices.IsSorted(times), "%q are not when the lines were printed", times)
}
