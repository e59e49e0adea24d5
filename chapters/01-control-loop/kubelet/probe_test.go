package kubelet_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func thresholds(success, failure int32) *corev1.Probe {
	return &corev1.Probe{SuccessThreshold: success, FailureThreshold: failure}
}

const yes, no = true, false

// One lost answer is no reason to send a server home, and one good one no
// reason to trust it.
//
//book:exercise 1k
func TestProbeChangesItsMindOnlyAfterEnoughInARow(t *testing.T) {
	spec := thresholds(2, 3)
	assert.True(t, kubelet.Probe(true, spec, no, no), "two failures of three")
	assert.False(t, kubelet.Probe(true, spec, no, no, no), "three failures of three")
	assert.False(t, kubelet.Probe(false, spec, yes), "one success of two")
	assert.True(t, kubelet.Probe(false, spec, yes, yes), "two successes of two")
}

//book:exercise 1k
func TestProbeStartsToCountAgainAfterTheOtherResult(t *testing.T) {
	assert.True(t, kubelet.Probe(true, thresholds(1, 3), no, no, yes, no, no),
		"three failures in a row are wanted, and there were never more than two")
	assert.False(t, kubelet.Probe(false, thresholds(2, 1), yes, no, yes),
		"two successes in a row are wanted, and there was never more than one")
	assert.True(t, kubelet.Probe(false, thresholds(2, 1), yes, no, yes, yes))
}

//book:exercise 1k
func TestAContainerIsNotJudgedByAnother(t *testing.T) {
	ready, alive := kubelet.Beside(yes, no)
	assert.False(t, ready, "another is ready, and this one wasn't asked")
	assert.True(t, alive, "another isn't alive, and this one wasn't asked")
}

// health returns an nginx that is healthy when told so.
func health(ok *atomic.Bool) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
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

// probing is a run of one Pod with a readiness probe that asks every second,
// fails after three failures, and passes after one success.
type probing struct {
	healthy atomic.Bool
	store   *controlloop.Store
	runtime *simulated.Runtime
	hasty   []string // writes that called a container ready while it was not healthy
}

// ready reports what the Pod's status says now.
func (p *probing) ready(t *testing.T) bool {
	t.Helper()
	synctest.Wait()
	obj, err := p.store.Get(t.Context(), controlloop.PodKind,
		controlloop.Key{Namespace: "default", Name: "web"})
	require.NoError(t, err)
	for _, c := range obj.(*corev1.Pod).Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// note remembers a write that calls an attempt of the container ready that has
// not been healthy yet.
func (p *probing) note(w controlloop.Write) {
	for _, c := range w.Object.(*corev1.Pod).Status.ContainerStatuses {
		if c.Ready && !p.healthy.Load() {
			p.hasty = append(p.hasty, fmt.Sprintf("version %s, attempt %d",
				w.Object.GetResourceVersion(), c.RestartCount))
		}
	}
}

// probed runs the Pod, probed from delay seconds after its start,
// while test looks at it.
func probed(t *testing.T, delay int32, test func(*testing.T, *probing)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var p probing
		p.store = controlloop.NewStore(
			controlloop.CoreKinds(), controlloop.OnWrite(p.note))
		p.runtime = simulated.New("10.244.1",
			simulated.Images{kubetest.Nginx: health(&p.healthy)})
		system := &controlloop.System{Client: p.store}
		kubelet.New(system, kubelet.Machine{
			Node: "node-1", Runtime: p.runtime, Volumes: kubelet.NoVolumes{},
		})
		done := make(chan struct{})
		go func() {
			system.Run(ctx)
			close(done)
		}()
		defer func() {
			cancel()
			<-done
			for _, s := range p.runtime.Sandboxes() {
				assert.NoError(t, p.runtime.Remove(context.Background(), s.UID))
			}
			synctest.Wait()
		}()
		web := kubetest.Pod("web", kubetest.Container("web", kubetest.Nginx))
		web.Namespace, web.Spec.NodeName = "default", "node-1"
		web.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
			InitialDelaySeconds: delay,
			PeriodSeconds:       1,
			ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)},
			},
		}
		_, err := p.store.Create(t.Context(), web)
		require.NoError(t, err)
		test(t, &p)
	})
}

// A Pod that has not been asked yet has not said yes: not in any write, for
// one is enough to be sent a request.
//
//book:exercise 1k
func TestReadinessWaitsForTheFirstAnswer(t *testing.T) {
	probed(t, 5, func(t *testing.T, p *probing) {
		time.Sleep(4 * time.Second)
		p.healthy.Store(true)
		assert.Empty(t, p.hasty, "it was called ready, and nobody had asked yet")
		time.Sleep(1100 * time.Millisecond)
		assert.True(t, p.ready(t), "it was asked, and has answered")
	})
}

// A Pod that runs is not yet a Pod that answers, and one that answered may stop.
//
//book:exercise 1k
func TestReadinessTakesAPodOutAndBackIn(t *testing.T) {
	probed(t, 0, func(t *testing.T, p *probing) {
		assert.False(t, p.ready(t), "it runs, and has not answered yet")
		p.healthy.Store(true)
		time.Sleep(1100 * time.Millisecond)
		assert.True(t, p.ready(t), "it has answered")
		p.healthy.Store(false)
		time.Sleep(2 * time.Second)
		assert.True(t, p.ready(t), "two failures of three")
		time.Sleep(time.Second)
		assert.False(t, p.ready(t), "three failures of three")
		p.healthy.Store(true)
		time.Sleep(time.Second)
		assert.True(t, p.ready(t), "it answers again")
	})
}

// The answers of the last container say nothing about the one that
// was started in its place.
//
//book:exercise 1k
func TestReadinessStartsOverWithTheContainer(t *testing.T) {
	probed(t, 0, func(t *testing.T, p *probing) {
		p.healthy.Store(true)
		time.Sleep(1100 * time.Millisecond)
		require.True(t, p.ready(t), "it has answered")
		p.healthy.Store(false)
		p.runtime.Stop(p.runtime.Sandboxes()[0].UID, "web", 30)
		assert.False(t, p.ready(t), "a container that has just been restarted was taken for ready")
		assert.Empty(t, p.hasty, "a container that has just been restarted was taken for ready")
	})
}
