package storage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A cell is what a claim needs on a node, as figures/arrange.svg has it.
type cell struct {
	Has    string `json:"has,omitempty"`    // its volume, and the node reaches that
	Volume string `json:"volume,omitempty"` // whose claimRef is written
	Claim  string `json:"claim,omitempty"`  // on which the node's name is written
	Why    string `json:"why,omitempty"`    // the node won't do
}

// A Pod with three claims and three nodes: rows needs a local disk, of which two
// nodes have one; for logs a disk is made anywhere; archive is bound to a disk in
// node-2. What is found for each on each node, and what is written in the end.
func TestRunOfThePlansForThreeNodes(t *testing.T) {
	type column struct {
		Name  string `json:"name"`
		Cells []cell `json:"cells"`
	}
	names := []string{"rows", "logs", "archive"}
	var nodes []column
	var written []string
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("local", delayed, local))
		kubetest.Create(c, class("later", delayed))
		kubetest.Create(c, volume("disk-1", "1Gi", inClass("local"), onlyOn("node-1")))
		kubetest.Create(c, volume("disk-2", "1Gi", inClass("local"), onlyOn("node-2")))
		kubetest.Create(c, volume("old", "1Gi", onlyOn("node-2"), reservedFor("archive")))
		kubetest.Create(c, claim("archive", "1Gi"))
		kubetest.Create(c, claim("rows", "1Gi", of("local")))
		kubetest.Create(c, claim("logs", "1Gi", of("later")))
		c.Settle()
		pod := unplaced(names...)
		require.Empty(t, asked.Obstacle(pod))
		for _, at := range []string{"node-1", "node-2", "node-3"} {
			now := column{Name: at}
			for _, name := range names {
				one := unplaced(name)
				volume, onClaim := asked.Planned(one, node(at))
				is := cell{Volume: volume, Why: strings.Join(asked.Refusals(one, node(at)), ", ")}
				if onClaim {
					is.Claim = name
				} else if is == (cell{}) {
					is.Has = kubetest.Get(c, claim(name, "1Gi")).Spec.VolumeName
				}
				now.Cells = append(now.Cells, is)
			}
			nodes = append(nodes, now)
		}
		before := len(c.Writes())
		_, err := asked.Settle(t.Context(), pod, node("node-2"))
		require.NoError(t, err)
		for _, w := range c.Writes()[before:] {
			written = append(written, w.Object.GetName())
		}
	})
	kubetest.RecordedJSON(t, "arrange.json", map[string]any{"claims": names, "nodes": nodes, "written": written})
}
