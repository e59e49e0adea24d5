package whole_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
)

// dyingServer has the server of mysql-1 die when its sidecar is about to make a
// slave of it, once.
func dyingServer(b *brought) {
	struck := false
	b.sidecar.mysql = func(p *simulated.Process, script string) {
		if !struck && p.Pod.Name == "mysql-1" && strings.Contains(script, "CHANGE MASTER") {
			struck = true
			b.kill(p.Pod, "mysql")
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// The manifest's first fault: what could not be done once is never done, and
// everything looks well.
func TestASidecarThatFailedOnceNeverSetsReplicationUp(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		dyingServer(b)
		b.until(5*time.Minute, "two are ready", func() bool { return b.areReady(2) })
		time.Sleep(time.Minute)
		assert.True(t, b.areReady(2), "2/2 Running")
		assert.NotZero(t, b.pod(1).Status.ContainerStatuses[1].RestartCount, "it failed, once")
		b.must(0, "CREATE DATABASE test")
		time.Sleep(time.Minute)
		assert.Empty(t, b.must(1, "SHOW SLAVE STATUS").Rows)
		_, err := b.ask(1, "SHOW TABLES FROM test")
		assert.ErrorContains(t, err, "Unknown database 'test'")
	})
}

func TestAMendedSidecarSetsReplicationUpInTheEnd(t *testing.T) {
	bringInBubble(t, mendReplication(t, bringManifest(t)), func(b *brought) {
		dyingServer(b)
		b.until(5*time.Minute, "two are ready", func() bool { return b.areReady(2) })
		assert.NotZero(t, b.pod(1).Status.ContainerStatuses[1].RestartCount, "it failed, once")
		b.until(time.Minute, "it is a slave", func() bool {
			return len(b.must(1, "SHOW SLAVE STATUS").Rows) == 1
		})
		b.must(0, "CREATE DATABASE test")
		time.Sleep(time.Second)
		b.must(1, "SHOW TABLES FROM test")
	})
}

// cloneAgain gives mysql-1 a new disk, a number of times, and returns how often
// the sidecar that it clones from has died meanwhile, and how long its Pod took
// to go.
func cloneAgain(b *brought, times int) (restarts int32, took time.Duration) {
	b.until(5*time.Minute, "all are ready", func() bool { return b.areReady(3) })
	for range times {
		_, code := b.sh(2, "xtrabackup",
			"ncat --recv-only mysql-0.mysql 3307 | wc -c > /tmp/size; read n < /tmp/size; [ $n -gt 0 ]")
		require.Zero(b.t, code, b.look())
		time.Sleep(time.Second)
	}
	b.until(time.Minute, "all are ready", func() bool { return b.areReady(3) })
	restarts = b.pod(0).Status.ContainerStatuses[1].RestartCount
	uid, begin := b.pod(0).UID, time.Now()
	require.NoError(b.t, b.Store.Delete(b.t.Context(), controlloop.PodKind,
		controlloop.KeyOf(b.pod(0)), metav1.DeleteOptions{}))
	b.until(time.Minute, "it has gone", func() bool {
		p := b.pod(0)
		return p == nil || p.UID != uid
	})
	return restarts, time.Since(begin)
}

// The second: as the first process of its container ncat takes the ends of
// processes for those of connections, and does not hear that it is to end.
func TestNcatAsTheFirstProcessDiesOfItsClones(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		restarts, took := cloneAgain(b, 2) // and one for mysql-1
		assert.EqualValues(t, 1, restarts)
		assert.GreaterOrEqual(t, took, 30*time.Second, "the whole grace period")
	})
}

func TestNcatBelowAShellLivesOn(t *testing.T) {
	bringInBubble(t, mendProcess(t, bringManifest(t)), func(b *brought) {
		restarts, took := cloneAgain(b, 8)
		assert.Zero(t, restarts)
		assert.Less(t, took, 3*time.Second)
	})
}

// A third, that nobody has told of: a clone that is cut in the middle is taken
// for a whole one, because its first files are there.
func TestHalfACloneIsTakenForAWholeOne(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		struck := false
		b.sidecar.send = func(p *simulated.Process, out io.Writer) io.Writer {
			if struck {
				return out
			}
			struck = true
			return &endsAfter{out, 200}
		}
		b.until(time.Minute, "the first is ready", func() bool { return b.areReady(1) })
		time.Sleep(10 * time.Minute)
		require.NotNil(t, b.pod(1), b.look())
		assert.False(t, b.isReady(1))
		log := b.look()
		assert.Contains(t, log, "Table 'mysql.user' doesn't exist", log)
	})
}

// endsAfter is a connection that is lost after so many bytes.
type endsAfter struct {
	io.Writer
	left int
}

func (e *endsAfter) Write(p []byte) (int, error) {
	if e.left -= len(p); e.left < 0 {
		n, _ := e.Writer.Write(p[:max(0, len(p)+e.left)])
		return n, fmt.Errorf("write: %w", io.ErrClosedPipe)
	}
	return e.Writer.Write(p)
}
