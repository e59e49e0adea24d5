package kubetest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/openexercises"
)

// said is an entry of a record, as its file has it.
type said struct {
	N, Cause, Wrote                int
	Do, Lane, Verb, Key, Text, Err string
}

// recorded runs a test in a cluster that leaves its record, and returns its entries.
func recorded(t *testing.T, test func(c *Cluster)) []said {
	t.Helper()
	t.Setenv(openexercises.LookEnv, t.TempDir())
	replicating(t, test)
	return entriesOf(t, t.Name(), 1)
}

func entriesOf(t *testing.T, test string, cluster int) []said {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv(openexercises.LookEnv), openexercises.Record{Test: test, Cluster: cluster}.File()))
	require.NoError(t, err)
	var record struct {
		Title    string
		Entries  []said
		Versions map[string][]struct{ Object map[string]any }
	}
	require.NoError(t, json.Unmarshal(text, &record))
	assert.Equal(t, test, record.Title)
	assert.Equal(t, "ReplicationController", record.Versions["ReplicationController default/web"][0].Object["kind"])
	return record.Entries
}

// acts returns what was done, and to whom.
func acts(entries []said) (all []string) {
	for _, e := range entries {
		if e.Do == "act" {
			all = append(all, strings.TrimPrefix(e.Lane+": "+e.Text, ": "))
		}
	}
	return all
}

func TestAClusterLeavesARecordInWhichEachWriteHasItsCause(t *testing.T) {
	entries := recorded(t, func(c *Cluster) { c.Settle() })
	byNumber, created := map[int]said{}, 0
	for _, e := range entries {
		byNumber[e.N] = e
		if e.Do == "write" && e.Lane == "replication" && e.Verb == "added" {
			created++
			run := byNumber[e.Cause]
			assert.Equal(t, "run", run.Do)
			assert.Equal(t, "heard", byNumber[byNumber[run.Cause].Cause].Do)
		}
	}
	assert.Equal(t, 3, created)
	assert.Contains(t, entries, said{N: 2, Do: "write", Lane: "the test", Verb: "added", Key: "default/web"})
}

func TestEachClusterOfATestHasANumber(t *testing.T) {
	recorded(t, func(c *Cluster) { c.Settle() })
	replicating(t, func(c *Cluster) { c.Run(); c.Settle() })
	assert.Equal(t, []string{allAtOnce}, acts(entriesOf(t, t.Name(), 2)))
}

func TestNothingIsRecordedWhereNobodyLooks(t *testing.T) {
	t.Setenv(openexercises.LookEnv, "")
	replicating(t, func(c *Cluster) {
		c.Settle()
		assert.Nil(t, c.look)
		assert.Same(t, c.Client, c.System.Client)
		assert.Same(t, c.Reconciler("replication"), c.Controller("replication").Reconciler)
	})
}

func TestAClusterThatIsLookedAtHasItsReconcilersAsTheyAre(t *testing.T) {
	t.Setenv(openexercises.LookEnv, t.TempDir())
	replicating(t, func(c *Cluster) { assert.IsType(t, &controlloop.Replication{}, c.Reconciler("replication")) })
}

func TestFaultsStandInTheRecord(t *testing.T) {
	for name, test := range map[string]struct {
		fault func(c *Cluster)
		acts  []string
	}{
		"a crash": {func(c *Cluster) {
			c.Client.CrashAtWrite(2, After)
			c.Settle()
			c.Restart()
		}, []string{"replication: crashed after its write: create Pod", "all loops start again, with empty caches and memories"}},
		"a refusal": {func(c *Cluster) { c.Client.FailNth("create", 1) },
			[]string{"replication: refused: create Pod: Internal error occurred: etcdserver: leader changed"}},
		"an answer lost": {func(c *Cluster) {
			lost := false
			c.Client.LoseAnswers(func(Call) bool { was := lost; lost = true; return !was })
		}, []string{"replication: the answer is lost: create Pod"}},
		"a notification lost": {func(c *Cluster) { c.LoseNotification(1) },
			[]string{"replication: an event is dropped: default/web does not come into the queue"}},
		"late events": {func(c *Cluster) { c.Client.Late(time.Second) },
			[]string{"from here on caches hear of everything 1s late"}},
		"watches": {func(c *Cluster) { c.Client.BreakWatches(io.ErrUnexpectedEOF) },
			[]string{"all watches break: unexpected EOF"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.acts, acts(recorded(t, func(c *Cluster) {
				test.fault(c)
				c.Settle()
			})))
		})
	}
}

func TestAKeyThatIsLostIsNotSaidToBeInTheQueue(t *testing.T) {
	for _, e := range recorded(t, func(c *Cluster) {
		c.LoseNotification(1)
		c.Settle()
	}) {
		assert.NotEqual(t, "key", e.Do)
	}
}

func TestACrashEndsItsReconcileAndWhatTheTestWritesThenIsTheTests(t *testing.T) {
	entries := recorded(t, func(c *Cluster) {
		c.Client.CrashAtWrite(1, Before)
		c.Settle()
		Create(c, Pod("later"))
	})
	last := entries[len(entries)-1]
	assert.Equal(t, said{N: last.N, Do: "write", Lane: "the test", Verb: "added", Key: "default/later"}, last)
	assert.Equal(t, "end", entries[len(entries)-2].Do)
	assert.Equal(t, "it did not return: it panicked", entries[len(entries)-2].Err)
}

const hangs = "KUBETEST_HANGS"

// In a process of its own, it comes to no end.
func TestInACircle(t *testing.T) {
	if os.Getenv(hangs) == "" {
		t.Skip("it is a fixture of other tests")
	}
	replicating(t, func(c *Cluster) {
		c.Settle()
		println("it turns")
		for c.Elapsed() >= 0 {
		}
	})
}

func TestARealProcessThatComesToNoEndLeavesItsRecord(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGQUIT")
	}
	t.Setenv(openexercises.LookEnv, t.TempDir())
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInACircle$")
	command.Env = append(os.Environ(), hangs+"=1", openexercises.PlainEnv+"=1")
	out, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	began := make([]byte, len("it turns\n"))
	_, err = io.ReadFull(out, began)
	require.NoError(t, err)
	require.NoError(t, command.Process.Signal(syscall.SIGQUIT))
	words, err := io.ReadAll(out)
	require.NoError(t, err)
	exit := new(exec.ExitError)
	require.True(t, errors.As(command.Wait(), &exit))
	assert.Equal(t, 2, exit.ExitCode())
	assert.Contains(t, string(words), "SIGQUIT: quit", "it says where everything stands")
	assert.Contains(t, string(words), "TestInACircle")
	assert.NotEmpty(t, entriesOf(t, "TestInACircle", 1))
}
