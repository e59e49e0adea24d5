package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A Pod has two claims. There is one volume on node-1, and there are two on
// node-2. A scheduler asks about both nodes, one after the other, until the Pod
// has a node.
//
//book:exercise 5i
func TestRunOfAPodWithTwoClaims(t *testing.T) {
	var log bytes.Buffer
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("local", delayed, local))
		for name, at := range map[string]string{"ant": "node-1", "bee": "node-2", "cat": "node-2"} {
			kubetest.Create(c, volume(name, "1Gi", inClass("local"), onlyOn(at)))
		}
		kubetest.Create(c, claim("data", "1Gi", of("local")))
		kubetest.Create(c, claim("logs", "1Gi", of("local")))
		c.Settle()
		const nowhere = "nowhere"
		pod, runs := unplaced("data", "logs"), nowhere
		for round := 1; round <= 3 && runs == nowhere; round++ {
			fmt.Fprintln(&log, "# look", round)
			chosen := ""
			for _, name := range []string{"node-1", "node-2"} {
				why := asked.Refusals(pod, node(name))
				if len(why) > 0 {
					fmt.Fprintf(&log, "%s  %s\n", name, strings.Join(why, ", "))
				} else if chosen == "" {
					chosen = name
					fmt.Fprintf(&log, "%s  it is\n", name)
				}
			}
			if chosen == "" {
				continue
			}
			settled, err := asked.Settle(context.Background(), pod, node(chosen))
			if settled {
				runs = "on " + chosen
			}
			if err != nil {
				fmt.Fprintln(&log, "refused:", err)
			}
			c.Settle()
			fmt.Fprintln(&log, "claims: "+claims(c))
		}
		fmt.Fprintln(&log, "the Pod runs", runs)
		kubetest.Recorded(t, "two.txt", log.Bytes())
		assert.NotEqual(t, nowhere, runs, "a Pod for which there is a node is Pending for good")
	})
}

// Three claims, and two volumes in reach: the third can have neither of them.
//
//book:exercise 5i
func TestTheVolumesOfAPodAreEachForOneOfItsClaims(t *testing.T) {
	consumers(t, func(c *kubetest.Cluster, asked *storage.Consumers) {
		kubetest.Create(c, class("local", delayed, local))
		for _, name := range []string{"a", "b"} {
			kubetest.Create(c, volume(name, "1Gi", inClass("local"), onlyOn("node-1")))
		}
		for _, name := range []string{"data", "logs", "more"} {
			kubetest.Create(c, claim(name, "1Gi", of("local")))
		}
		c.Settle()
		assert.Empty(t, asked.Refusals(unplaced("data", "logs"), node("node-1")))
		assert.Equal(t, []string{"node(s) didn't find available persistent volumes to bind"},
			asked.Refusals(unplaced("data", "logs", "more"), node("node-1")), "two volumes are not three")
	})
}
