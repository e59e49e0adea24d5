package streams_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/remotecommand"

	"reconcile/internal/apiserver/streams"
)

// What it has answered until then is seen.
func TestAttachEndsWithItsInputIfTheContainersGoesOn(t *testing.T) {
	reads := corev1.Container{Name: "main", Stdin: true}
	once, terminal := reads, reads
	once.StdinOnce = true
	terminal.StdinOnce, terminal.TTY = true, true
	debugger := corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon(reads)}
	for name, c := range map[string]struct {
		spec corev1.PodSpec
		ends bool
	}{
		"stdin":             {corev1.PodSpec{Containers: []corev1.Container{reads}}, true},
		"stdinOnce":         {corev1.PodSpec{Containers: []corev1.Container{once}}, false},
		"stdinOnce and tty": {corev1.PodSpec{Containers: []corev1.Container{terminal}}, true},
		"a debugger":        {corev1.PodSpec{EphemeralContainers: []corev1.EphemeralContainer{debugger}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := web()
			c.spec.NodeName = pod.Spec.NodeName
			pod.Spec = c.spec
			ended := make(chan struct{}) // the container has
			left := make(chan struct{})  // the client has, before that
			config := listen(t, pod, containers{exec: func(
				ctx context.Context, _ []string, s streams.IO,
			) (int, error) {
				text, err := io.ReadAll(s.Stdin)
				assert.NoError(t, err)
				fmt.Fprintf(s.Stdout, "got %s", text)
				select {
				case <-ctx.Done():
					close(left)
					return 0, ctx.Err()
				case <-ended:
					return 0, nil
				}
			}})
			if !c.ends {
				time.AfterFunc(time.Second, func() { close(ended) })
			}
			var out bytes.Buffer
			query := run("stdin", "stdout")
			query.Set("container", "main")
			err := executor(t, config, "attach", query).StreamWithContext(
				t.Context(), remotecommand.StreamOptions{
					Stdin: strings.NewReader("hello"), Stdout: &out})
			require.NoError(t, err)
			assert.Equal(t, "got hello", out.String())
			if c.ends {
				<-left
			} else {
				<-ended
			}
		})
	}
}
