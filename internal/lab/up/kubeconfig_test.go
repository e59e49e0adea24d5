package up_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"reconcile/internal/lab"
)

func TestTheLabThatHasThePortIsNamed(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	opts := inFolder("")
	opts.Kubeconfig = "" // the usual one
	first := start(t, opts)
	_, rest, _ := strings.Cut(first.out.String(), "https://127.0.0.1:")
	text, _, _ := strings.Cut(rest, ",")
	assert.Contains(t, first.out.String(), "  lab kubectl get nodes\n", "found without being told")

	opts.Port, _ = strconv.Atoi(text)
	assert.ErrorContains(t, refused(t, opts),
		fmt.Sprintf("or stop the other lab (process %d)", os.Getpid()))
	opts.Port = 0
	assert.EqualError(t, refused(t, opts), fmt.Sprintf(
		"a lab is running already at https://127.0.0.1:%s (process %d); "+
			"stop it, or give this one a file of its own with --kubeconfig", text, os.Getpid()))
	require.NoError(t, first.stop())
}

// A lab was killed, and another program has the port that it had. The question
// which process has it takes no lock from the lab that comes next.
func TestAKilledLabHasNoPort(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	path, err := lab.Kubeconfig()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Config","current-context":"reconcile",
		"clusters":[{"name":"reconcile","cluster":{"server":"http://%s"}}]}`, listener.Addr()), 0o600))

	opts := inFolder("")
	opts.Kubeconfig = ""
	opts.Port = listener.Addr().(*net.TCPAddr).Port
	assert.ErrorContains(t, refused(t, opts), "or stop whatever has it")
	opts.Port = 0
	l := start(t, opts)
	require.NoError(t, l.stop())
}

func TestWithoutAFolderForItTheKubeconfigWantsAName(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	opts := inFolder("")
	opts.Kubeconfig = ""
	err := refused(t, opts)
	assert.ErrorContains(t, err, "no folder for the lab's kubeconfig: ")
	assert.ErrorContains(t, err, "name a file with --kubeconfig")
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
		assert.EqualError(t, refused(t, opts), fmt.Sprintf("--kubeconfig: %s is not a lab's kubeconfig; "+
			"it is left as it is, name another file", opts.Kubeconfig), name)
		now, err := os.ReadFile(opts.Kubeconfig)
		require.NoError(t, err)
		assert.Equal(t, text, string(now), name)
		assert.NoFileExists(t, opts.Kubeconfig+".lab-lock", name)
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
	assert.Contains(t, l.out.String(), "lab: "+l.kubeconfig+" is left as it is: ")
}

// Changes by kubectl's config commands are in the file while the lab runs, and
// go with it; a context that leads elsewhere stays.
func TestAKubeconfigMayChangeWhileItsLabRuns(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*api.Config)
		stays  bool
	}{
		"a namespace is chosen": {change: func(c *api.Config) {
			c.Contexts["reconcile"].Namespace = "story"
		}},
		"its context is renamed": {change: func(c *api.Config) {
			c.Contexts = map[string]*api.Context{"lab": c.Contexts["reconcile"]}
			c.CurrentContext = "lab"
		}},
		"no context is chosen": {change: func(c *api.Config) {
			c.CurrentContext = ""
		}},
		"another cluster": {stays: true, change: func(c *api.Config) {
			c.Clusters["work"] = &api.Cluster{Server: "https://example.com"}
		}},
		"another user": {stays: true, change: func(c *api.Config) {
			c.AuthInfos["me"] = &api.AuthInfo{Token: "mine"}
		}},
		"another server": {stays: true, change: func(c *api.Config) {
			c.Clusters["reconcile"].Server = "https://127.0.0.1:1"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := start(t, inFolder(t.TempDir()))
			config, err := clientcmd.LoadFromFile(l.kubeconfig)
			require.NoError(t, err)
			test.change(config)
			paths := clientcmd.NewDefaultPathOptions()
			paths.LoadingRules.ExplicitPath = l.kubeconfig
			require.NoError(t, clientcmd.ModifyConfig(paths, *config, false), "kubectl locks the file for this")

			require.NoError(t, l.stop())
			if test.stays {
				assert.FileExists(t, l.kubeconfig)
				return
			}
			assert.NoFileExists(t, l.kubeconfig)
		})
	}
}
