package streams_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"reconcile/internal/apiserver/streams"
)

// containers do what a test says.
type containers struct {
	logs func(context.Context, *corev1.PodLogOptions) (io.ReadCloser, error)
	exec func(context.Context, []string, streams.IO) (int, error)
	dial func(context.Context, int32) (net.Conn, error)
}

var errNotSaid = errors.New("the test does not say what this does")

func (c containers) Logs(
	ctx context.Context, _ *corev1.Pod, opts *corev1.PodLogOptions,
) (io.ReadCloser, error) {
	if c.logs == nil {
		return nil, errNotSaid
	}
	return c.logs(ctx, opts)
}

func (c containers) Exec(
	ctx context.Context, _ *corev1.Pod, container string, command []string,
	s streams.IO,
) (int, error) {
	if c.exec == nil {
		return 0, errNotSaid
	}
	return c.exec(ctx, append([]string{container}, command...), s)
}

func (c containers) Attach(
	ctx context.Context, _ *corev1.Pod, container string, s streams.IO,
) (int, error) {
	return c.Exec(ctx, nil, container, nil, s)
}

func (c containers) Dial(
	ctx context.Context, _ *corev1.Pod, port int32,
) (net.Conn, error) {
	if c.dial == nil {
		return nil, errNotSaid
	}
	return c.dial(ctx, port)
}

// web returns a Pod whose one container runs.
func web() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web", Namespace: "default", UID: "uid-of-web",
		},
		Spec: corev1.PodSpec{
			NodeName:   "node-1",
			Containers: []corev1.Container{{Name: "main"}},
		},
		Status: corev1.PodStatus{
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "main", ContainerID: "simulated://main/0",
				State: corev1.ContainerState{
					Running: &corev1.ContainerStateRunning{},
				},
			}},
		},
	}
}

// handler serves the subresources of one Pod.
func handler(pod *corev1.Pod, c streams.Containers) http.Handler {
	serve := map[string]func(
		http.ResponseWriter, *http.Request, *corev1.Pod, streams.Containers,
	){
		"exec": streams.ServeExec, "attach": streams.ServeAttach,
		"portforward": streams.ServePortForward, "log": streams.ServeLog,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve[path.Base(r.URL.Path)](w, r, pod, c)
	})
}

// listen serves a Pod to clients, and when the test ends sees to it that no
// goroutine of ours still runs.
func listen(t *testing.T, pod *corev1.Pod, c streams.Containers) *rest.Config {
	server := httptest.NewServer(handler(pod, c))
	t.Cleanup(func() {
		server.Close()
		require.Eventually(t, func() bool { return ours() == "" },
			time.Minute, time.Millisecond,
			"these goroutines are left:\n%s", ours())
	})
	return &rest.Config{Host: server.URL}
}

// ours returns the goroutines that run code of package streams.
func ours() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var left []string
	for _, stack := range strings.Split(string(all), "\n\n") {
		if strings.Contains(stack, "apiserver/streams.") ||
			strings.Contains(stack, "spdystream.") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

// at returns the address of a subresource.
func at(config *rest.Config, subresource string, query url.Values) *url.URL {
	u, _ := url.Parse(config.Host)
	u.Path = "/api/v1/namespaces/default/pods/web/" + subresource
	u.RawQuery = query.Encode()
	return u
}
