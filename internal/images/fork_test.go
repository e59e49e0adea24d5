package images_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// forkBombs are scripts whose processes would be more and more.
var forkBombs = map[string]string{
	"a function, piped into itself": "f() { f | f & }; f; sleep 1000",
	"in the background":             "f() { f & f & }; f; sleep 1000",
	"jobs of one shell":             "while true; do sleep 1000 & done",
	"pipes of one shell":            "while true; do sleep 1000 | cat & done",
	"a shell that begins itself":    `echo 'sh /tmp/b & sh /tmp/b & sleep 1000' > /tmp/b; sh /tmp/b`,
	"in a substitution":             "f() { : $(f & f & sleep 1000); }; f",
}

func TestAContainerHasAThousandProcessesAtMost(t *testing.T) {
	for name, script := range forkBombs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("bomb", "busybox", "sh", "-c", script))
				time.Sleep(500 * time.Millisecond)
				assert.Less(t, runtime.NumGoroutine(), 10_000)
				time.Sleep(time.Minute)
				assert.Contains(t, r.logs(p, corev1.PodLogOptions{}),
					": can't fork: Resource temporarily unavailable\n")
				r.runtime.Stop(p.UID, "main", 0)
				synctest.Wait()
				require.NotNil(t, r.ended(p))
			})
		})
	}
}

func TestWhatHasEndedIsNotCounted(t *testing.T) {
	for name, script := range map[string]string{
		"jobs":  "sleep 1 &",
		"pipes": "sleep 1 | true &",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				out, _ := r.exec(p, "sh", "-c",
					"for i in 1 2 3; do for j in $(seq 330); do "+script+" done; wait; done; echo on")
				assert.Equal(t, "on\n", out)
				out, _ = r.exec(p, "sh", "-c", "for i in $(seq 490); do sleep 5 & done; sleep 1; ps | grep -c 'sleep 5$'")
				assert.Equal(t, "490\n", out)
			})
		})
	}
}
