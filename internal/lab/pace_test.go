package lab_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/lab"
)

func TestAContainerStartsAtTheLabsPace(t *testing.T) {
	running(t, lab.Options{Nodes: 1, Pace: 3 * time.Second}, func(f fixture) {
		f.create(pod("default", "web"))
		f.create(pod("default", "db"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		for _, p := range f.pods("default") {
			assert.Equal(f.t, corev1.PodPending, p.Status.Phase, p.Name)
			require.NotEmpty(f.t, p.Status.ContainerStatuses, p.Name)
			assert.Equal(f.t, "ContainerCreating",
				p.Status.ContainerStatuses[0].State.Waiting.Reason, p.Name)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for _, p := range f.pods("default") {
			assert.Equal(f.t, corev1.PodRunning, p.Status.Phase, p.Name)
		}
	})
}

// A user who presses ctrl-C does not wait for containers that are about to
// start, and nothing untrue is said of these.
func TestALabThatStopsDoesNotKeepItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: 1, Pace: time.Hour})
		require.NoError(t, err)
		defer l.Close()
		stop := run(l)
		f := fixture{l, t}
		f.create(pod("default", "web"))
		before := time.Now()
		stop()
		assert.Equal(t, before, time.Now())
		for _, event := range f.list(eventKind, "default") {
			assert.Equal(t, corev1.EventTypeNormal, event.(*corev1.Event).Type)
		}
	})
}
