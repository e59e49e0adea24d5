package streams_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// logs returns client-go's request for logs.
func logs(
	t *testing.T, config *rest.Config, opts *corev1.PodLogOptions,
) *rest.Request {
	client, err := typed.NewForConfig(config)
	require.NoError(t, err)
	return client.Pods("default").GetLogs("web", opts)
}

func TestALogIsAskedForWithAllThatClientsSay(t *testing.T) {
	want := corev1.PodLogOptions{
		Container: "main", Previous: true, Timestamps: true,
		TailLines: new(int64(5)), LimitBytes: new(int64(100)),
		SinceTime: &metav1.Time{
			Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		},
	}
	pod := web()
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated =
		&corev1.ContainerStateTerminated{ContainerID: "simulated://main/0"}
	var got corev1.PodLogOptions
	config := listen(t, pod, containers{logs: func(
		_ context.Context, opts *corev1.PodLogOptions,
	) (io.ReadCloser, error) {
		got = *opts
		return io.NopCloser(strings.NewReader("a line\n")), nil
	}})
	text, err := logs(t, config, &want).DoRaw(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a line\n", string(text))
	assert.Equal(t, want, got)
}

func TestWhoFollowsALogSeesEachLineAtOnce(t *testing.T) {
	r, w := io.Pipe()
	config := listen(t, web(), containers{logs: func(
		context.Context, *corev1.PodLogOptions,
	) (io.ReadCloser, error) {
		return r, nil
	}})
	body, err := logs(t, config, &corev1.PodLogOptions{Follow: true}).
		Stream(t.Context())
	require.NoError(t, err)
	defer body.Close()
	lines := bufio.NewReader(body)
	for _, want := range []string{"one\n", "two\n"} {
		io.WriteString(w, want)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, want, line)
	}
	w.Close()
	_, err = lines.ReadByte()
	assert.Equal(t, io.EOF, err)
}

func TestAReaderThatGoesAwayEndsTheFollowing(t *testing.T) {
	ended := make(chan struct{})
	config := listen(t, web(), containers{logs: func(
		ctx context.Context, _ *corev1.PodLogOptions,
	) (io.ReadCloser, error) {
		r, w := io.Pipe()
		context.AfterFunc(ctx, func() {
			w.Close()
			close(ended)
		})
		return r, nil
	}})
	body, err := logs(t, config, &corev1.PodLogOptions{Follow: true}).
		Stream(t.Context())
	require.NoError(t, err)
	body.Close()
	<-ended
}

func TestALogOfAPodThatNobodyRunsIsEmpty(t *testing.T) {
	pod := web()
	pod.Spec.NodeName = ""
	text, err := logs(t, listen(t, pod, containers{}), &corev1.PodLogOptions{}).
		DoRaw(t.Context())
	require.NoError(t, err)
	assert.Empty(t, text)
}
