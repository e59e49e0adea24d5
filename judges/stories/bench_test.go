package stories

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	upstream "k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/events"
	"reconcile/internal/kubetest"
)

// BenchmarkRollout creates one Deployment, and then rolls it: it measures what
// that costs for each of its Pods, of the processor, in the book's controllers
// and in Kubernetes', each over a store of the book that it calls directly. It
// is read as a ratio:
//
//	go test -run - -bench Rollout -benchtime 1x -count 5 .
func BenchmarkRollout(b *testing.B) {
	for _, pods := range []int{1_000, 10_000, 20_000} {
		for _, by := range []struct {
			name string
			run  func(context.Context, *testing.B, *controlloop.Store) (done func())
		}{{"ours", ours}, {"kubernetes", kubernetes137}} {
			b.Run(fmt.Sprintf("pods=%d/%s", pods, by.name), func(b *testing.B) {
				for b.Loop() {
					p := newPlant(b, by.run)
					p.measure("create", pods, func() { p.create(pods) })
					p.measure("roll", pods, p.roll)
					p.stop()
				}
			})
		}
	}
}

func ours(ctx context.Context, _ *testing.B, store *controlloop.Store) func() {
	system := &controlloop.System{
		Client: store, Recorder: events.NewJournal(store).Recorder,
	}
	rollingupdate.NewDeployments(system)
	deployment.NewReplicaSets(system)
	var running sync.WaitGroup
	running.Go(func() { system.Run(ctx) })
	return running.Wait
}

func kubernetes137(ctx context.Context, b *testing.B, store *controlloop.Store) func() {
	client := direct{store: store}
	factory := informers.NewSharedInformerFactory(client, 0)
	sets := replicaset.NewReplicaSetController(ctx, factory.Apps().V1().ReplicaSets(),
		factory.Core().V1().Pods(), client, replicaset.BurstReplicas)
	deployments, err := upstream.NewDeploymentController(ctx,
		factory.Apps().V1().Deployments(), factory.Apps().V1().ReplicaSets(),
		factory.Core().V1().Pods(), client)
	require.NoError(b, err)
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { sets.Run(ctx, 5) })
	running.Go(func() { deployments.Run(ctx, 5) })
	running.Go(func() {
		<-ctx.Done()
		factory.Shutdown()
	})
	return running.Wait
}

// plant is a store, its controllers, and a kubelet that makes every Pod run and
// be ready by one write.
type plant struct {
	b      *testing.B
	store  *controlloop.Store
	rolled chan struct{} // holds a token when the Deployment is as it should be
	stop   func()
}

func newPlant(
	b *testing.B,
	run func(context.Context, *testing.B, *controlloop.Store) (done func()),
) *plant {
	kinds := controlloop.CoreKinds().With(deployment.Kinds()...).
		With(rollingupdate.Kinds()...).With(controlloop.Kind{
		GroupVersionKind: events.Kind, Resource: "events", Namespaced: true,
		New: func() controlloop.Object { return &corev1.Event{} },
	})
	p := &plant{b: b, rolled: make(chan struct{}, 1)}
	p.store = controlloop.NewStore(kinds,
		controlloop.WithHistory(100_000), controlloop.OnWrite(p.wrote))
	ctx, cancel := context.WithCancel(b.Context())
	done := run(ctx, b, p.store)
	var kubelet sync.WaitGroup
	kubelet.Go(func() { p.kubelet(ctx) })
	p.stop = func() {
		cancel()
		done()
		kubelet.Wait()
	}
	return p
}

func (p *plant) wrote(w controlloop.Write) {
	d, ok := w.Object.(*appsv1.Deployment)
	if !ok || d.Status.ObservedGeneration != d.Generation {
		return
	}
	want, s := *d.Spec.Replicas, d.Status
	if s.Replicas == want && s.UpdatedReplicas == want && s.AvailableReplicas == want {
		select {
		case p.rolled <- struct{}{}:
		default:
		}
	}
}

func (p *plant) kubelet(ctx context.Context) {
	pods, err := p.store.Watch(ctx, controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(p.b, err)
	defer pods.Stop()
	for {
		event, err := pods.Next(ctx)
		if err != nil {
			return
		}
		pod := event.Object.(*corev1.Pod)
		if event.Type != "ADDED" {
			continue
		}
		pod = controlloop.Copy(pod)
		pod.ResourceVersion = ""
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue,
			LastTransitionTime: controlloop.Now(),
		}}
		_, _ = p.store.UpdateStatus(ctx, pod) // it may have gone
	}
}

func (p *plant) create(pods int) {
	labels := map[string]string{"app": "web"}
	replicas := int32(pods)
	_, err := p.store.Create(p.b.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "web", Image: "web:v1"}},
				},
			},
		},
	})
	require.NoError(p.b, err)
	p.wait()
}

func (p *plant) roll() {
	for { // the controller writes the Deployment, too
		obj, err := p.store.Get(p.b.Context(), deployment.DeploymentKind, kubetest.Named("web"))
		require.NoError(p.b, err)
		d := controlloop.Copy(obj.(*appsv1.Deployment))
		d.Spec.Template.Spec.Containers[0].Image = "web:v2"
		if _, err = p.store.Update(p.b.Context(), d); err == nil {
			break
		}
	}
	select { // the signals of before
	case <-p.rolled:
	default:
	}
	p.wait()
}

func (p *plant) wait() {
	p.b.Helper()
	select {
	case <-p.rolled:
	case <-time.After(10 * time.Minute):
		p.b.Fatal("it does not come to an end")
	}
}

// measure reports what f costs the processor for each Pod.
func (p *plant) measure(what string, pods int, f func()) {
	p.b.Helper()
	runtime.GC()
	before := processor()
	f()
	took := processor() - before
	p.b.ReportMetric(float64(took.Microseconds())/float64(pods), what+"-µs/pod")
}

// processor returns how much of it this process has used.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
