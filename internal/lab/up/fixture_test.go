package up_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reconcile/internal/lab/up"
)

// limit is how long anything may take.
const limit = 30 * time.Second

// output is the text that a lab has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed at the next write; nil: there is no waiter
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// next returns what has been written, and a channel that is closed when more
// is.
func (o *output) next() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more == nil {
		o.more = make(chan struct{})
	}
	return o.text.String(), o.more
}

// running is a lab that runs.
type running struct {
	t          *testing.T
	kubeconfig string
	out        *output
	cancel     context.CancelFunc
	done       chan error
}

// inFolder returns options for a lab that leaves nothing outside of a folder.
func inFolder(folder string) up.Options {
	return up.Options{
		Nodes: 1, Address: "127.0.0.1", Seed: 1,
		Kubeconfig: filepath.Join(folder, "kubeconfig"),
		Kubectl:    "lab kubectl", Node: "lab node",
	}
}

// start returns when the lab is up.
func start(t *testing.T, opts up.Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{
		t: t, kubeconfig: opts.Kubeconfig, out: &output{},
		cancel: cancel, done: make(chan error, 1),
	}
	opts.Out, opts.Err = r.out, r.out
	go func() { r.done <- up.Run(ctx, opts) }()
	t.Cleanup(cancel)
	r.prints("Events, as they happen:\n")
	return r
}

// prints waits until the lab has printed something.
func (r *running) prints(text string) {
	r.t.Helper()
	r.printsTimes(1, text)
}

// printsTimes waits until the lab has printed something so many times.
func (r *running) printsTimes(n int, text string) {
	r.t.Helper()
	timeout := time.After(limit)
	for {
		out, more := r.out.next()
		if strings.Count(out, text) >= n {
			return
		}
		select {
		case <-more:
		case err := <-r.done:
			require.Fail(r.t, "the lab has ended", "%v; it has printed\n%s", err, out)
		case <-timeout:
			require.Fail(r.t, "not printed", "%q is not in\n%s", text, out)
		}
	}
}

// stop stops the lab as Ctrl-C does, and returns the error of its run.
func (r *running) stop() error {
	r.t.Helper()
	r.cancel()
	select {
	case err := <-r.done:
		return err
	case <-time.After(limit):
		require.Fail(r.t, "the lab does not end")
		return nil
	}
}

// refused runs a lab that must not come up.
func refused(t *testing.T, opts up.Options) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	opts.Out, opts.Err = &output{}, &output{}
	err := up.Run(ctx, opts)
	require.Error(t, err)
	require.Empty(t, opts.Out.(*output).String())
	return err
}

// config returns the configuration in the kubeconfig.
func (r *running) config() *rest.Config {
	r.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", r.kubeconfig)
	require.NoError(r.t, err)
	return config
}

func (r *running) client() *kubernetes.Clientset {
	r.t.Helper()
	return clientFor(r.t, r.config())
}

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// http returns a client of HTTP that knows what the kubeconfig knows.
func (r *running) http() *http.Client {
	r.t.Helper()
	client, err := rest.HTTPClientFor(r.config())
	require.NoError(r.t, err)
	return client
}

// port returns the port at which the lab listens.
func (r *running) port() string {
	r.t.Helper()
	at, err := url.Parse(r.config().Host)
	require.NoError(r.t, err)
	return at.Port()
}
