package browser

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/cmd/lab/tracediff"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/kubetest"
	"reconcile/internal/openexercises"
)

// recordedWith returns the record of a cluster in which something may go wrong.
func recordedWith(t *testing.T, wrong func(c *kubetest.Cluster)) workspace.Recorded {
	t.Helper()
	t.Setenv(openexercises.LookEnv, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{Nodes: 1, Controllers: []kubetest.Controller{controlloop.NewReplication}})
		wrong(c)
		kubetest.Create(c, kubetest.ReplicationController("web", 3))
		c.Advance(10 * time.Second)
	})
	record := openexercises.Record{Test: t.Name(), Cluster: 1}
	text, err := os.ReadFile(filepath.Join(os.Getenv(openexercises.LookEnv), record.File()))
	require.NoError(t, err)
	return workspace.Recorded{Record: record, JSON: text}
}

// openBeside opens the page of two runs: in one a create is refused.
func openBeside(t *testing.T, width int64) *tab {
	t.Helper()
	page, err := tracediff.New("A refused create", &workspace.Seen{
		Mine: []workspace.Recorded{recordedWith(t, func(c *kubetest.Cluster) { c.Client.FailNth("create", 1) })},
		Book: []workspace.Recorded{recordedWith(t, func(*kubetest.Cluster) {})},
	})
	require.NoError(t, err)
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	tb := newTab(t, width)
	tb.open(server.URL)
	tb.wait(`[...document.querySelectorAll("section[aria-labelledby] .look")].length === 2`)
	return tb
}

func TestLookTwoRunsStandBesideEachOtherWhereTheyDiffer(t *testing.T) {
	tb := openBeside(t, 1440)
	assert.Contains(t, ask[string](tb, `document.querySelector("header p").innerText`),
		"Yours: replication: refused: create Pod: Internal error occurred: etcdserver: leader changed. The book's: replication creates Pod default/web-")
	tb.wait(`document.querySelector("[aria-labelledby=mine]").innerText.includes("refused: create Pod")`)
	tb.wait(`document.querySelector("[aria-labelledby=book]").innerText.includes("replication created Pod default/web-")`)
	ask[bool](tb, `[...document.querySelectorAll("[aria-labelledby=mine] button")].find((one) => one.innerText === "end").click() ?? true`)
	tb.wait(`document.querySelector(".cluster").innerText.includes("node-1")`)
	assert.NotContains(t, ask[string](tb, `document.querySelector(".cluster").innerText`), "gone", "the machine is no object there")
	tops := `new Set([...document.querySelectorAll("main > section")].map((side) => side.getBoundingClientRect().top)).size`
	assert.Equal(t, 1, ask[int](tb, tops))
	assertAccessible(t, tb)
	tb.prefer("dark")
	assertAccessible(t, tb)
	console, requests := tb.said()
	assert.Empty(t, console)
	for _, address := range requests {
		assert.Contains(t, address, "127.0.0.1", "nothing is loaded from elsewhere")
	}
}

func TestLookTwoRunsStandBelowEachOtherWhereThereIsNoRoom(t *testing.T) {
	tb := openBeside(t, 390)
	assert.Equal(t, 2, ask[int](tb, `new Set([...document.querySelectorAll("main > section")].map((side) => side.getBoundingClientRect().top)).size`))
	assert.LessOrEqual(t, ask[int](tb, `document.documentElement.scrollWidth`), 390)
	assertAccessible(t, tb)
}
