package images_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The bubble's time begins at midnight, 1 January 2000.
const counting = "for i in 1 2 3; do echo line $i; sleep 10; done; echo oops >&2"

func TestALogIsWhatAContainerHasPrinted(t *testing.T) {
	for name, c := range map[string]struct {
		opts corev1.PodLogOptions
		want string
	}{
		"all":   {corev1.PodLogOptions{}, "line 1\nline 2\nline 3\noops\n"},
		"last":  {corev1.PodLogOptions{TailLines: new(int64(2))}, "line 3\noops\n"},
		"none":  {corev1.PodLogOptions{TailLines: new(int64)}, ""},
		"bytes": {corev1.PodLogOptions{LimitBytes: new(int64(9))}, "line 1\nli"},
		"since": {corev1.PodLogOptions{SinceSeconds: new(int64(15))}, "line 3\noops\n"},
		"since a time": {corev1.PodLogOptions{SinceTime: &metav1.Time{
			Time: time.Date(2000, 1, 1, 0, 0, 10, 0, time.UTC)}},
			"line 2\nline 3\noops\n"},
		"errors": {corev1.PodLogOptions{Stream: new(corev1.LogStreamStderr)}, "oops\n"},
		"times": {corev1.PodLogOptions{Timestamps: true, TailLines: new(int64(2))},
			"2000-01-01T00:00:20.000000000Z line 3\n" +
				"2000-01-01T00:00:30.000000000Z oops\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sh", "-c", counting))
				time.Sleep(30 * time.Second)
				synctest.Wait()
				assert.Equal(t, c.want, r.logs(p, c.opts))
			})
		})
	}
}

func TestWhoFollowsALogSeesLinesWhenTheyArePrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sh", "-c", counting))
		log, err := r.machines.Logs(t.Context(), p, &corev1.PodLogOptions{
			Container: "main", Follow: true})
		require.NoError(t, err)
		defer log.Close()
		began, lines := time.Now(), bufio.NewScanner(log)
		var seen []string
		for lines.Scan() {
			seen = append(seen, fmt.Sprintf("%v %s", time.Since(began), lines.Text()))
		}
		assert.Equal(t, []string{"0s line 1", "10s line 2", "20s line 3", "30s oops"}, seen)
	})
}

func TestWhoStopsFollowingIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		ctx, cancel := context.WithCancel(t.Context())
		log, err := r.machines.Logs(ctx, p, &corev1.PodLogOptions{
			Container: "main", Follow: true})
		require.NoError(t, err)
		cancel()
		_, err = io.ReadAll(log)
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func TestTheLogBeforeTheLastRestartIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sh", "-c", "echo ${N:-first}; exit 1")
		for _, n := range []string{"first", "second", "third"} {
			p = p.DeepCopy()
			p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "N", Value: n}}
			r.start(p)
			synctest.Wait()
		}
		assert.Equal(t, "third\n", r.logs(p, corev1.PodLogOptions{}))
		assert.Equal(t, "second\n", r.logs(p, corev1.PodLogOptions{Previous: true}))

		p.Status.ContainerStatuses[0].LastTerminationState.Terminated.ContainerID =
			"simulated://uid-of-web/main/0"
		log, err := r.machines.Logs(t.Context(), p,
			&corev1.PodLogOptions{Container: "main", Previous: true})
		require.NoError(t, err)
		text, err := io.ReadAll(log)
		require.NoError(t, err)
		assert.Empty(t, text, "the one before that is not")
	})
}

func TestTheLogGoesWithThePod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "echo", "hi"))
		synctest.Wait()
		r.report(p)
		require.NoError(t, r.runtime.Remove(t.Context(), p.UID))
		log, err := r.machines.Logs(t.Context(), p,
			&corev1.PodLogOptions{Container: "main"})
		require.NoError(t, err)
		text, err := io.ReadAll(log)
		require.NoError(t, err)
		assert.Empty(t, text)
	})
}

func TestALogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sh", "-c",
			"seq 1000000000 1000200000; echo end"))
		for r.ended(p) == nil {
			time.Sleep(time.Second)
		}
		log := r.logs(p, corev1.PodLogOptions{})
		assert.LessOrEqual(t, len(log), 1<<20)
		assert.Greater(t, len(log), 1<<19)
		assert.True(t, strings.HasSuffix(log, "1000200000\nend\n"))
	})
}

func TestALineWithoutAnEndIsShownWhenTheContainerHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sh", "-c", "printf begun; sleep 9"))
		synctest.Wait()
		assert.Empty(t, r.logs(p, corev1.PodLogOptions{}))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Equal(t, "begun", r.logs(p, corev1.PodLogOptions{}))
	})
}
