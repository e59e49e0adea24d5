package torture

import (
	"bytes"
	"context"
	"flag"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
)

var rounds = flag.Int("rounds", 3, "rounds of simulated failovers")

// `lab torture failover` plays them with real servers.
func TestNoOrderIsLostInFailovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: Machines, Controllers: []string{"-serviceaccount", "-root-ca-cert-publisher"}})
		require.NoError(t, err)
		defer l.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		running.Go(func() { l.Run(ctx) })
		var out bytes.Buffer
		err = Failovers(ctx, l, l.Machines.Dial, true, Options{Rounds: *rounds, Seed: 1}, &out)
		t.Log(out.String())
		assert.NoError(t, err)
	})
}
