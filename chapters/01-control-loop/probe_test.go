package controlloop_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// nginxPod returns a Pod of one nginx container.
func nginxPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
}

func thresholds(success, failure int32) *corev1.Probe {
	return &corev1.Probe{SuccessThreshold: success, FailureThreshold: failure}
}

const yes, no = true, false

// One lost answer is no reason to send a server home, and one good one no
// reason to trust it.
//
//book:exercise 1.7
func TestProbeChangesItsMindOnlyAfterEnoughInARow(t *testing.T) {
	spec := thresholds(2, 3)
	assert.True(t, controlloop.Probe(true, spec, no, no), "two failures of three")
	assert.False(t, controlloop.Probe(true, spec, no, no, no), "three failures of three")
	assert.False(t, controlloop.Probe(false, spec, yes), "one success of two")
	assert.True(t, controlloop.Probe(false, spec, yes, yes), "two successes of two")
}

//book:exercise 1.7
func TestProbeStartsToCountAgainAfterTheOtherResult(t *testing.T) {
	assert.True(t, controlloop.Probe(true, thresholds(1, 3), no, no, yes, no, no),
		"three failures in a row are wanted, and there were never more than two")
	assert.False(t, controlloop.Probe(false, thresholds(2, 1), yes, no, yes),
		"two successes in a row are wanted, and there was never more than one")
	assert.True(t, controlloop.Probe(false, thresholds(2, 1), yes, no, yes, yes))
}

// health is an nginx that is healthy when told so.
func health(ok *atomic.Bool) controlloop.Program {
	return func(ctx context.Context, p *controlloop.Process) int {
		l, err := p.Listen(80)
		if err != nil {
			return 1
		}
		server := &http.Server{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) {
				if !ok.Load() {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			})}
		go func() {
			<-ctx.Done()
			server.Close()
		}()
		server.Serve(l)
		return 1
	}
}

// probed runs one Pod whose readiness probe asks every second, fails after
// three failures, and passes after one success. test is told how to look.
func probed(t *testing.T, ok *atomic.Bool, test func(ready func() bool, r *controlloop.Simulated)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := newStore()
		system := &controlloop.System{Client: store}
		r := controlloop.NewSimulated("10.244.1", controlloop.Images{"nginx:1.27": health(ok)})
		controlloop.NewKubelet(system, "node-1", r, controlloop.NoVolumes{})
		done := make(chan struct{})
		go func() {
			system.Run(ctx)
			close(done)
		}()
		web := nginxPod("web")
		web.Spec.NodeName = "node-1"
		web.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
			PeriodSeconds: 1,
			ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)},
			},
		}
		mustCreate(t, store, web)
		test(func() bool {
			synctest.Wait()
			obj, err := store.Get(ctx, controlloop.PodKind, controlloop.KeyOf(web))
			require.NoError(t, err)
			for _, c := range obj.(*corev1.Pod).Status.Conditions {
				if c.Type == corev1.PodReady {
					return c.Status == corev1.ConditionTrue
				}
			}
			return false
		}, r)
		cancel()
		<-done
		for _, s := range r.Sandboxes() {
			require.NoError(t, r.Remove(context.Background(), s.UID))
		}
		synctest.Wait()
	})
}

// A Pod that runs is not yet a Pod that answers, and one that answered may stop.
//
//book:exercise 1.7
func TestReadinessTakesAPodOutAndBackIn(t *testing.T) {
	var ok atomic.Bool
	probed(t, &ok, func(ready func() bool, _ *controlloop.Simulated) {
		assert.False(t, ready(), "it runs, and has not answered yet")
		ok.Store(true)
		time.Sleep(1100 * time.Millisecond)
		assert.True(t, ready(), "it has answered")
		ok.Store(false)
		time.Sleep(2 * time.Second)
		assert.True(t, ready(), "two failures of three")
		time.Sleep(2 * time.Second)
		assert.False(t, ready(), "three failures of three")
		ok.Store(true)
		time.Sleep(time.Second)
		assert.True(t, ready(), "it answers again")
	})
}

// What the last container has answered says nothing about the one that was
// started in its place.
//
//book:exercise 1.7
func TestReadinessStartsOverWithTheContainer(t *testing.T) {
	var ok atomic.Bool
	ok.Store(true)
	probed(t, &ok, func(ready func() bool, r *controlloop.Simulated) {
		time.Sleep(100 * time.Millisecond)
		require.True(t, ready())
		ok.Store(false)
		r.Stop(r.Sandboxes()[0].UID, "web", 30)
		assert.False(t, ready(), "a container that has just been restarted was taken for ready")
	})
}
