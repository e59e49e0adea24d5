package up_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

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

// goroutines returns the stacks of those that run code of this module,
// but for the test's own.
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

// names returns the port that answers for the names of the cluster.
func (r *running) names() string {
	r.t.Helper()
	match := regexp.MustCompile(`-p (\d+) `).FindStringSubmatch(r.out.String())
	require.NotNil(r.t, match)
	return match[1]
}

func TestNamesAreAnsweredFromOutside(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+l.names())
	}}
	assert.Eventually(t, func() bool {
		found, err := resolver.LookupHost(t.Context(), "kubernetes.default.svc.cluster.local.")
		return err == nil && slices.Equal(found, []string{"10.96.0.1"})
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, l.stop())
}

func TestAPortOfNamesThatIsTakenIsNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	opts := inFolder(t.TempDir())
	opts.DNSPort = taken.Addr().(*net.TCPAddr).Port
	assert.ErrorContains(t, up.Run(t.Context(), opts), fmt.Sprintf(
		"--dns-port: listen on 127.0.0.1:%d: address already in use; choose another", opts.DNSPort))
}

func TestALabTellsHowToReachIt(t *testing.T) {
	folder := t.TempDir()
	opts := inFolder(folder)
	opts.Nodes = 2
	l := start(t, opts)
	// The first events may have happened already.
	told, _, _ := strings.Cut(l.out.String(), "as they happen:\n")
	assert.Equal(t, fmt.Sprintf(`The lab is up at https://127.0.0.1:%s, with 2 nodes.

Look inside, in a browser:
  %[4]s
With an installed kubectl:
  export KUBECONFIG=%[2]s
  kubectl get nodes
Without one:
  lab kubectl --kubeconfig %[2]s get nodes
Names of the cluster, from outside of it:
  dig @127.0.0.1 -p %[3]s +short kubernetes.default.svc.cluster.local
Another machine, and one that falls silent:
  lab node --kubeconfig %[2]s add
  lab node --kubeconfig %[2]s cut node-1

No controller of this lab acts on jobs, cronjobs.
Ctrl-C stops the lab; its state ends with it. Events, `, l.port(), l.kubeconfig, l.names(), l.page()), told)
	nodes, err := l.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, nodes.Items, 2)
	require.NoError(t, l.stop())
}

func TestALabWithoutNodesNamesNone(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Nodes = 0
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "\nA first machine:\n  lab node --kubeconfig "+l.kubeconfig+" add\n\n")
	assert.NotContains(t, l.out.String(), "node-1")
	require.NoError(t, l.stop())
}

func TestALabTellsWhatItWillNotDo(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Controllers = []string{"-deployment", "-garbagecollector"}
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "Left out: deployment-controller, garbage-collector-controller.\n"+
		"No controller of this lab acts on deployments, jobs, cronjobs.")
	response, err := l.http().Post(l.config().Host+"/apis/batch/v1/namespaces/default/cronjobs",
		"application/json", strings.NewReader(`{"metadata":{"name":"x"},"spec":{"schedule":"* * * * *",
			"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","hostIPC":true,"containers":[{"name":"x","image":"busybox"}]}}}}}}`))
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 201, response.StatusCode)
	assert.Equal(t, []string{`299 - "no controller of this lab acts on cronjobs"`,
		`299 - "spec.jobTemplate.spec.template.spec.hostIPC: the simulated runtime ignores it"`}, response.Header.Values("Warning"))
	require.NoError(t, l.stop())
}

func TestALabLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	l := start(t, inFolder(folder))
	at := l.config().Host
	l.create("default", pod("web"))
	watch, err := l.client().CoreV1().Pods("default").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for event := range watch.ResultChan() { // until it runs, and its status says so
		if event.Object.(*corev1.Pod).Status.Phase == corev1.PodRunning {
			break
		}
	}
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
		"others can guess": {
			func(o *up.Options) { o.Address, o.Token = "0.0.0.0", "open sesame" },
			"--token: others can try it as often as they like: it needs 16 characters, and has 11"},
		"open to others": {
			func(o *up.Options) { o.Address, o.OpenDoor = "0.0.0.0", true },
			"--open-door is for this machine; --address 0.0.0.0 lets others reach the lab: choose a --token"},
		"open, and not": {
			func(o *up.Options) { o.Token, o.OpenDoor = "open sesame", true },
			"--open-door asks for no token, and --token for one: give one of them"},
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
		"with what there isn't": {
			func(o *up.Options) { o.With = []string{"9.9"} },
			`--with: there is no "9.9"; there are 1j, 2h, `},
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

func TestAnAddressThatIsNotOursIsNotCalledTaken(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Address, opts.Token = "192.0.2.1", "open sesame, please" // an address for documentation
	err := refused(t, opts)
	assert.ErrorContains(t, err, "192.0.2.1")
	assert.NotContains(t, err.Error(), "already in use")
}

// Machines obey the API's own clients: a page of another site in a browser
// stops none.
func TestNoPageOfAnotherSiteStopsAMachine(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	for _, header := range []http.Header{
		{"Origin": {"https://example.com"}}, {"Sec-Fetch-Site": {"cross-site"}},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			l.config().Host+"/lab/nodes/node-1/stop", nil)
		require.NoError(t, err)
		request.Header = header
		response, err := l.http().Do(request)
		require.NoError(t, err)
		response.Body.Close()
		assert.Equal(t, http.StatusForbidden, response.StatusCode)
	}
	response, err := l.http().Post(l.config().Host+"/lab/nodes/node-1/stop", "", nil)
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode, "it was on still")
	require.NoError(t, l.stop())
}

func TestATokenIsAskedForOverTLS(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Address, opts.Token = "0.0.0.0", "open sesame, please"
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "https://127.0.0.1:")
	assert.NotContains(t, l.out.String(), "sesame")
	_, err := l.client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "the kubeconfig knows the token, and the certificate")
	byName := l.config()
	byName.Host = "https://localhost:" + l.port()
	_, err = clientFor(t, byName).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err, "the certificate is for localhost too")
	info, err := os.Stat(l.kubeconfig)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm(), "nobody else may read it")

	for _, token := range []string{"", "open barley"} {
		config := l.config()
		config.BearerToken = token
		client := clientFor(t, config)
		_, err = client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		assert.True(t, apierrors.IsUnauthorized(err), "%q: %v", token, err)
		err = client.CoreV1().RESTClient().Post().AbsPath("/lab/nodes").Do(t.Context()).Error()
		assert.True(t, apierrors.IsUnauthorized(err), "%q: %v", token, err)
	}
	require.NoError(t, l.stop())
}

// Another user of the machine reaches the port, and can't read the kubeconfig.
func TestOnlyWhoCanReadTheKubeconfigComesIn(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	token := l.config().BearerToken
	assert.GreaterOrEqual(t, len(token), 20)
	assert.NotContains(t, l.out.String(), token)
	info, err := os.Stat(l.kubeconfig)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())

	stranger := rest.AnonymousClientConfig(l.config())
	_, err = clientFor(t, stranger).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsUnauthorized(err), "a Status of Kubernetes': %v", err)
	stranger.TLSClientConfig = rest.TLSClientConfig{}
	_, err = clientFor(t, stranger).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	assert.ErrorContains(t, err, "certificate")
	require.NoError(t, l.stop())

	again := start(t, inFolder(t.TempDir()))
	assert.NotEqual(t, token, again.config().BearerToken)
	require.NoError(t, again.stop())
}

func TestAnOpenDoorIsOpenToThisMachineOnly(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.OpenDoor = true
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "lab: --open-door: every user and every program of this machine may")
	assert.Contains(t, l.out.String(), "The lab is up at http://127.0.0.1:")
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

func TestALabThatIsToStopBeforeItIsUpStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opts := inFolder(t.TempDir())
	opts.Out, opts.Err = &output{}, &output{}
	assert.NoError(t, up.Run(ctx, opts))
	assert.NoFileExists(t, opts.Kubeconfig)
}
