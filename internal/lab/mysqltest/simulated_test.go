package mysqltest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
	"reconcile/internal/lab/mysqltest"
	"reconcile/internal/slow"
)

// inLab calls f with a user of a lab that runs, in a bubble. Its containers take
// a moment to start, so that a user who looks sees them start.
func inLab(t *testing.T, opts lab.Options, f func(u *mysqltest.User, s *simulated)) {
	t.Helper()
	prepare()
	t.Setenv("PATH", "") // kubectl would look for plugins in it, each time
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		opts.Controllers = []string{"-serviceaccount", "-root-ca-cert-publisher"}
		opts.Pace = 700 * time.Millisecond
		l, err := lab.New(opts)
		require.NoError(t, err)
		defer l.Close()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		defer func() {
			cancel()
			<-done
		}()
		s := newSimulated(t, l, home)
		defer s.close()
		f(&mysqltest.User{TB: t, Cluster: s, Manifests: mysqltest.Manifests()}, s)
	})
}

func TestTheClusterRunsSimulated(t *testing.T) {
	slow.Test(t, "it plays the whole story of the MySQL cluster")
	inLab(t, lab.Options{Nodes: 3}, func(u *mysqltest.User, _ *simulated) {
		u.Play()
	})
}

func TestThePasswordStandsInItsSecretAlone(t *testing.T) {
	inLab(t, lab.Options{Nodes: 3}, func(u *mysqltest.User, _ *simulated) {
		for _, step := range mysqltest.Secret() {
			u.Log(step.Name)
			step.Do(u)
		}
	})
}
