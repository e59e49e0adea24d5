package kubectl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"reconcile/internal/kubectl"
)

func TestMain(m *testing.M) {
	os.Setenv("KUBERC", "off") // a developer may have preferences
	os.Exit(m.Run())
}

// server returns one that answers the tests' requests; every name of a
// ConfigMap but "none" exists.
func server(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	answer := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.PathValue("name") != "" {
				w.Header().Add("Warning", `299 - "it rains"`)
			}
			fmt.Fprint(w, text)
		})
	}
	answer("/version", `{"major":"1","minor":"37","gitVersion":"v1.37.0"}`)
	answer("/api", `{"kind":"APIVersions","versions":["v1"]}`)
	answer("/apis", `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	answer("/api/v1", `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[
		{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["get","list","watch","create"]}]}`)
	answer("/api/v1/namespaces/default/configmaps", `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
	answer("/api/v1/namespaces/default/configmaps/{name}", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default"}}`)
	mux.HandleFunc("/api/v1/namespaces/default/configmaps/none", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"configmaps \"none\" not found"}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// kubeconfig writes a file that leads to a server.
func kubeconfig(t *testing.T, url string) string {
	file := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"it",
		"clusters":[{"name":"it","cluster":{"server":%q}}],
		"contexts":[{"name":"it","context":{"cluster":"it"}}]}`, url)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// output is the text that a command wrote, and its exit code.
type output struct {
	code     int
	out, err string
}

func run(ctx context.Context, c kubectl.Command) output {
	var out, errs strings.Builder
	c.Out, c.Err = &out, &errs
	code := kubectl.Run(ctx, c)
	return output{code, out.String(), errs.String()}
}

func on(t *testing.T, s *httptest.Server, args ...string) kubectl.Command {
	return kubectl.Command{
		Args: args, Kubeconfig: kubeconfig(t, s.URL), CacheDir: t.TempDir(),
	}
}

func TestACommandTalksToTheClusterOfItsKubeconfig(t *testing.T) {
	got := run(t.Context(), on(t, server(t), "get", "configmap", "a", "-o", "name"))
	assert.Equal(t, output{0, "configmap/a\n", "Warning: it rains\n"}, got)
}

func TestAFlagWinsOverTheKubeconfigOfTheCommand(t *testing.T) {
	s := server(t)
	c := on(t, s, "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
	assert.Equal(t, output{0, s.URL, ""}, run(t.Context(), c))
	c.Args = append(c.Args, "--kubeconfig", kubeconfig(t, "http://elsewhere"))
	assert.Equal(t, output{0, "http://elsewhere", ""}, run(t.Context(), c))
}

func TestWhatEndsKubectlEndsTheCommandAlone(t *testing.T) {
	s := server(t)
	assert.Equal(t,
		output{1, "", "error: unknown command \"frobnicate\" for \"kubectl\"\n"},
		run(t.Context(), on(t, s, "frobnicate")))
	assert.Equal(t,
		output{1, "", "error: unknown flag: --frobnicate\nSee 'kubectl get --help' for usage.\n"},
		run(t.Context(), on(t, s, "get", "--frobnicate")))
	assert.Equal(t,
		output{1, "", "Error from server (NotFound): configmaps \"none\" not found\n"},
		run(t.Context(), on(t, s, "get", "configmap", "none")))
}

func TestWhatEndsKubectlInAGoroutineOfItsOwnEndsTheCommandAlone(t *testing.T) {
	s := server(t)
	assert.Equal(t, output{1, "",
		"Error from server (NotFound): the server could not find the requested resource (get pods a)\n"},
		run(t.Context(), on(t, s, "cp", "a:/nosuch", filepath.Join(t.TempDir(), "x"))))
}

func TestACommandThatCannotBeConfiguredEndsWithTheReason(t *testing.T) {
	c := on(t, server(t), "get", "configmap", "a")
	c.Configure = func(*rest.Config) error { return errors.New("no way") }
	assert.Equal(t, output{1, "", "error: no way\n"}, run(t.Context(), c))
	c.Args = []string{"get", "--help"}
	assert.Equal(t, 0, run(t.Context(), c).code, "help needs no cluster")
}

func TestKubectlKnowsWhichOneItIs(t *testing.T) {
	content, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	assert.Contains(t, string(content),
		"k8s.io/kubectl v0"+strings.TrimPrefix(kubectl.Version, "v1")+"\n")
	got := run(t.Context(), on(t, server(t), "version"))
	assert.Contains(t, got.out, "Client Version: "+kubectl.Version+"\n")
	assert.Equal(t, output{0, got.out, ""}, got)
}

func TestCommandsHaveHelp(t *testing.T) {
	for _, command := range []string{"get", "rollout undo", "create deployment", "explain", "config"} {
		args := append(strings.Fields(command), "--help")
		got := run(t.Context(), kubectl.Command{Args: args, CacheDir: t.TempDir()})
		assert.Zero(t, got.code, command)
		assert.Empty(t, got.err, command)
		assert.Contains(t, got.out, "\nUsage:\n  kubectl "+command, command)
		assert.Contains(t, got.out, `Use "kubectl options" for a list of global command-line options`, command)
	}
	got := run(t.Context(), kubectl.Command{Args: []string{"options"}, CacheDir: t.TempDir()})
	assert.Contains(t, got.out, "The following options can be passed to any command:\n\n    --as=", "options")
}

func TestWarningsCanBeErrors(t *testing.T) {
	c := on(t, server(t), "get", "configmap", "a", "-o", "name", "--warnings-as-errors")
	assert.Equal(t,
		output{1, "configmap/a\n", "Warning: it rains\nerror: 1 warning received\n"},
		run(t.Context(), c))
}

func TestInputIsReadWhereAFileIsADash(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // on Windows
	for _, args := range [][]string{{"-f", "-"}, {"--filename=-"}, {"-f-"}} {
		c := on(t, server(t), append([]string{
			"create", "--dry-run=client", "--validate=false", "-o", "name"}, args...)...)
		c.In = strings.NewReader(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"piped"}}`)
		got := run(t.Context(), c)
		assert.Equal(t, "configmap/piped\n", got.out, "%s: %s", args, got.err)
		c.In = strings.NewReader("apiVersion: v1\n")
		assert.Contains(t, run(t.Context(), c).err, `unable to decode "STDIN"`, "as kubectl has it, and the same each time")
	}
	left, err := filepath.Glob(filepath.Join(temp, "stdin-*.yaml"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestACommandIsNoLouderThanItSays(t *testing.T) {
	s := server(t)
	run(t.Context(), on(t, s, "get", "configmap", "a", "-v=1"))
	assert.True(t, klog.V(1).Enabled())
	run(t.Context(), on(t, s, "get", "configmap", "a"))
	assert.False(t, klog.V(1).Enabled(), "the one before was")
}

func TestCommandsRunSideBySide(t *testing.T) {
	s := server(t)
	c := on(t, s, "get", "configmap", "a", "-o", "name")
	failing := on(t, s, "get", "configmap", "none")
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			assert.Equal(t, output{0, "configmap/a\n", "Warning: it rains\n"}, run(t.Context(), c))
		})
		running.Go(func() {
			assert.Equal(t,
				output{1, "", "Error from server (NotFound): configmaps \"none\" not found\n"},
				run(t.Context(), failing))
		})
	}
	running.Wait()
}

func TestAWatchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := on(t, server(t), "get", "configmaps", "-w")
	c.Configure = func(config *rest.Config) error {
		config.Transport = watching{func(watch *http.Request) {
			cancel()
			<-watch.Context().Done()
		}}
		return nil
	}
	got := run(ctx, c)
	assert.Contains(t, got.err, context.Canceled.Error())
}

// watching tells of the first watch, which then does not begin.
type watching struct{ told func(*http.Request) }

func (w watching) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Query().Get("watch") != "" {
		w.told(request)
		return nil, context.Cause(request.Context())
	}
	return http.DefaultTransport.RoundTrip(request)
}
