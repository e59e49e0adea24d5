package up_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/lab/up"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
}

func (r *running) create(namespace string, pod *corev1.Pod) *corev1.Pod {
	r.t.Helper()
	stored, err := r.client().CoreV1().Pods(namespace).Create(
		r.t.Context(), pod, metav1.CreateOptions{})
	require.NoError(r.t, err)
	return stored
}

func (r *running) pods() []corev1.Pod {
	r.t.Helper()
	list, err := r.client().CoreV1().Pods("").List(r.t.Context(), metav1.ListOptions{})
	require.NoError(r.t, err)
	return list.Items
}

// goroutines are the stacks of those that run code of this module, but for the
// test's own.
func goroutines(t *testing.T) (ours []string) {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&all, 2))
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		stack, _, _ := strings.Cut(stack, "\ncreated by ") // it may be ending
		if strings.Contains(stack, "reconcile/") && !strings.Contains(stack, "up_test.Test") {
			ours = append(ours, stack)
		}
	}
	return ours
}

func TestALabTellsHowToReachIt(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Nodes = 2
	l := start(t, opts)
	assert.Equal(t, fmt.Sprintf(`The lab is up at http://127.0.0.1:%s, with 2 nodes.

With an installed kubectl:
  export KUBECONFIG=%s
  kubectl get nodes
Without one:
  lab kubectl --kubeconfig %[2]s get nodes

Ctrl-C stops the lab; its state ends with it. Events, as they happen:

`, l.port(), l.kubeconfig), l.out.String())
	nodes, err := l.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, nodes.Items, 2)
	require.NoError(t, l.stop())
}

func TestALabLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	l := start(t, inFolder(folder))
	at := l.config().Host
	l.create("default", pod("web"))
	l.prints("Container started")
	watch, err := l.client().CoreV1().Pods("default").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	logs, err := l.client().CoreV1().Pods("default").GetLogs("web",
		&corev1.PodLogOptions{Follow: true}).Stream(t.Context())
	require.NoError(t, err)
	defer logs.Close()

	require.NoError(t, l.stop())
	for range watch.ResultChan() {
	} // until the server has ended it
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, files, "kubeconfig and lock are gone")
	// Containers end by themselves once they are killed.
	assert.Eventually(t, func() bool { return len(goroutines(t)) == 0 },
		limit, 10*time.Millisecond, "%v", goroutines(t))
	_, err = http.Get(at)
	assert.Error(t, err, "nobody listens")
}

func TestEventsArePrintedAsTheyHappen(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	l.create("default", pod("web"))
	l.create("kube-system", pod("dns"))
	l.prints("  pod/dns -n kube-system  ")
	assert.Regexp(t, `(?m)^\d\d:\d\d:\d\d  Normal   Scheduled         pod/web                   `+
		`Successfully assigned default/web to node-1$`, l.out.String())
	require.NoError(t, l.stop())
}

func TestBadOptionsTouchNothing(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*up.Options)
		says string
	}{
		"others can reach it": {
			func(o *up.Options) { o.Address = "0.0.0.0" },
			"--address 0.0.0.0 lets others reach the lab: choose a --token that they have to know"},
		"no address": {
			func(o *up.Options) { o.Address = "localhost" },
			`--address: "localhost" is no IP address`},
		"no port": {
			func(o *up.Options) { o.Port = 70000 },
			"--port: 70000 is not between 0 and 65535"},
		"too few nodes": {
			func(o *up.Options) { o.Nodes = -1 }, "-1 nodes: a lab has between 0 and 254"},
		"no such controller": {
			func(o *up.Options) { o.Controllers = []string{"job"} },
			`--controllers: there is no controller "job" here; there are: `},
	} {
		folder := t.TempDir()
		opts := inFolder(folder)
		c.set(&opts)
		assert.ErrorContains(t, refused(t, opts), c.says, name)
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, files, name)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	first := start(t, inFolder(t.TempDir()))
	folder := t.TempDir()
	opts := inFolder(folder)
	port, err := strconv.Atoi(first.port())
	require.NoError(t, err)
	opts.Port = port
	assert.EqualError(t, refused(t, opts), fmt.Sprintf(
		"listen on 127.0.0.1:%d: address already in use; "+
			"choose another port with --port, or stop whatever has it", port))
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, files)
	require.NoError(t, first.stop())
}

func TestTheLabThatHasThePortIsNamed(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	opts := inFolder("")
	opts.Kubeconfig = "" // the usual one
	first := start(t, opts)
	_, rest, _ := strings.Cut(first.out.String(), "http://127.0.0.1:")
	text, _, _ := strings.Cut(rest, ",")
	assert.Contains(t, first.out.String(), "  lab kubectl get nodes\n", "found without being told")

	opts.Port, _ = strconv.Atoi(text)
	assert.ErrorContains(t, refused(t, opts),
		fmt.Sprintf("or stop the other lab (process %d)", os.Getpid()))
	opts.Port = 0
	assert.EqualError(t, refused(t, opts), fmt.Sprintf(
		"a lab is running already at http://127.0.0.1:%s (process %d); "+
			"stop it, or give this one a file of its own with --kubeconfig", text, os.Getpid()))
	require.NoError(t, first.stop())
}

func TestAKubeconfigOfOthersIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"another cluster": `{"apiVersion":"v1","kind":"Config","current-context":"work",
			"clusters":[{"name":"work","cluster":{"server":"https://example.com"}}]}`,
		"one more": `{"apiVersion":"v1","kind":"Config","current-context":"reconcile",
			"clusters":[{"name":"work","cluster":{"server":"https://example.com"}},
			{"name":"reconcile","cluster":{"server":"http://127.0.0.1:1"}}]}`,
		"something else": "dear diary",
	} {
		opts := inFolder(t.TempDir())
		require.NoError(t, os.WriteFile(opts.Kubeconfig, []byte(text), 0o600))
		assert.ErrorContains(t, refused(t, opts), "it is left as it is, name another file", name)
		now, err := os.ReadFile(opts.Kubeconfig)
		require.NoError(t, err)
		assert.Equal(t, text, string(now), name)
		assert.NoFileExists(t, opts.Kubeconfig+".lock", name)
	}
}

func TestAKubeconfigThatAKilledLabLeftIsReplaced(t *testing.T) {
	opts := inFolder(t.TempDir())
	require.NoError(t, os.WriteFile(opts.Kubeconfig, []byte(
		`{"apiVersion":"v1","kind":"Config","current-context":"reconcile",
		"clusters":[{"name":"reconcile","cluster":{"server":"http://127.0.0.1:1"}}]}`), 0o600))
	l := start(t, opts)
	assert.NotEqual(t, "1", l.port())
	require.NoError(t, l.stop())
}

func TestAKubeconfigThatWasChangedMeanwhileIsNotRemoved(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	require.NoError(t, os.WriteFile(l.kubeconfig, []byte("mine now"), 0o600))
	require.NoError(t, l.stop())
	assert.FileExists(t, l.kubeconfig)
}

func TestATokenIsAskedForOverTLS(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Address, opts.Token = "0.0.0.0", "open sesame"
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "https://127.0.0.1:")
	assert.NotContains(t, l.out.String(), "sesame")
	_, err := l.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "the kubeconfig knows the token, and the certificate")
	info, err := os.Stat(l.kubeconfig)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm(), "nobody else may read it")

	for _, token := range []string{"", "open barley"} {
		config := l.config()
		config.BearerToken = token
		client := clientFor(t, config)
		_, err = client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		assert.True(t, apierrors.IsUnauthorized(err), "%q: %v", token, err)
	}
	require.NoError(t, l.stop())
}

func TestOnlyThisMachineIsServedWithoutAToken(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	for host, code := range map[string]int{
		"127.0.0.1:8001": 200, "localhost:8001": 200, "localhost": 200, "[::1]:8001": 200,
		"evil.example.com": 403, "evil.example.com:8001": 403, "192.168.1.1": 403,
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", l.config().Host+"/version", nil)
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		assert.Equal(t, code, response.StatusCode, host)
	}
	require.NoError(t, l.stop())
}

func TestASnapshotOutlivesTheLab(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	first := start(t, opts)
	assert.Contains(t, first.out.String(), "its state is kept in "+opts.Snapshot)
	before := first.create("default", pod("web"))
	first.prints("Container started")
	require.NoError(t, first.stop())

	second := start(t, opts)
	second.prints("Container started")
	pods := second.pods()
	require.Len(t, pods, 1)
	assert.Equal(t, before.UID, pods[0].UID)
	assert.Equal(t, before.CreationTimestamp.Unix(), pods[0].CreationTimestamp.Unix())
	watch, err := second.client().CoreV1().Pods("").Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	err = apierrors.FromObject((<-watch.ResultChan()).Object)
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	require.NoError(t, second.stop())
}

func TestASnapshotThatCannotBeKeptIsToldAtTheStart(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "nowhere", "lab.json")
	assert.ErrorContains(t, refused(t, opts), "--snapshot: "+opts.Snapshot+" cannot be written: ")

	opts.Snapshot = filepath.Join(folder, "lab.json")
	require.NoError(t, os.MkdirAll(filepath.Join(opts.Snapshot+".tmp", "full"), 0o755))
	assert.ErrorContains(t, refused(t, opts), "--snapshot: ")
	require.NoError(t, os.RemoveAll(opts.Snapshot+".tmp"))

	require.NoError(t, os.WriteFile(opts.Snapshot, []byte("{"), 0o600))
	assert.ErrorContains(t, refused(t, opts), "--snapshot: "+opts.Snapshot+":1: this is no snapshot: ")
	text, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	assert.Equal(t, "{", string(text))
	assert.NoFileExists(t, opts.Kubeconfig)
}

func TestASnapshotThatIsNotSavedIsToldAtTheEnd(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Snapshot = filepath.Join(folder, "lab.json")
	l := start(t, opts)
	inTheWay := filepath.Join(opts.Snapshot+".tmp", "full")
	for os.MkdirAll(inTheWay, 0o755) != nil { // the file may be being written
	}
	before, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	l.create("default", pod("web"))
	l.prints("lab: the state is not saved: ")
	assert.ErrorContains(t, l.stop(), "the file holds what was saved before")
	after, err := os.ReadFile(opts.Snapshot)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	assert.NoFileExists(t, l.kubeconfig)
	assert.NoFileExists(t, opts.Snapshot+".lock")
}

func TestALabThatIsToStopBeforeItIsUpStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opts := inFolder(t.TempDir())
	opts.Out, opts.Err = &output{}, &output{}
	assert.NoError(t, up.Run(ctx, opts))
	assert.NoFileExists(t, opts.Kubeconfig)
}
