package manager

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/lab"
)

// behindTimes is a client that hears of ReplicaSets a second late, and counts the
// status writes that were refused for it.
type behindTimes struct {
	controlloop.Client
	refused atomic.Int64
}

func (b *behindTimes) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	stored, err := b.Client.UpdateStatus(ctx, obj)
	if apierrors.IsConflict(err) {
		b.refused.Add(1)
	}
	return stored, err
}

func (b *behindTimes) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := b.Client.Watch(ctx, kind, opts)
	if err != nil || kind != deployment.ReplicaSetKind {
		return w, err
	}
	return slow{w}, nil
}

type slow struct{ controlloop.Watch }

func (s slow) Next(ctx context.Context) (watch.Event, error) {
	event, err := s.Watch.Next(ctx)
	controlloop.Sleep(ctx, time.Second)
	return event, err
}

// Ten Pods become ready, one each 300 ms, while the ReplicaSet's own events are a
// second late. A controller that looks at each of these Pods writes from a copy
// that is older than what it has written itself, unless it waits.
func TestAControllerThatWaitsForItsOwnWritesIsNotRefused(t *testing.T) {
	refused := map[bool]int64{}
	for _, waits := range []bool{false, true} {
		t.Run(fmt.Sprintf("waits=%t", waits), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { refused[waits] = tenBecomeReady(t, waits) })
		})
	}
	assert.Positive(t, refused[false])
	assert.Zero(t, refused[true])
}

func tenBecomeReady(t *testing.T, waits bool) (refused int64) {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	client := &behindTimes{Client: store}
	own := newStatuses(client, store.Kinds())
	system := &controlloop.System{Client: own}
	c := deployment.NewReplicaSets(system)
	if waits {
		require.NoError(t, own.await("replicaset-controller", c, system))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { system.Run(ctx) })
	defer running.Wait()
	defer cancel()

	labels := map[string]string{"app": "web"}
	rs, err := store.Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: "web"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(10)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	})
	require.NoError(t, err)
	time.Sleep(5 * time.Second)
	pods, err := store.List(ctx, controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	require.Len(t, pods.Items, 10)
	for _, obj := range pods.Items {
		pod := controlloop.Copy(obj.(*corev1.Pod))
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: controlloop.Now(),
		}}
		_, err := store.UpdateStatus(ctx, pod)
		require.NoError(t, err)
		time.Sleep(300 * time.Millisecond)
	}
	time.Sleep(time.Minute)
	obj, err := store.Get(ctx, deployment.ReplicaSetKind, controlloop.KeyOf(rs))
	require.NoError(t, err)
	assert.EqualValues(t, 10, obj.(*appsv1.ReplicaSet).Status.ReadyReplicas)
	return client.refused.Load()
}

// One that was deleted is not waited for, nor is another of its name.
func TestAnObjectThatHasGoneIsNotWaitedFor(t *testing.T) {
	p := &patient{cache: controlloop.NewIndexer(), written: map[controlloop.Key]version{}}
	rs := func(version string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", ResourceVersion: version}}
	}
	key := controlloop.KeyOf(rs(""))
	p.cache.Put(rs("9"))
	p.wrote(rs("10"))
	assert.True(t, apierrors.IsConflict(p.behind(key)), "9 is older than 10, whatever letters say")
	p.cache.Remove(key)
	assert.NoError(t, p.behind(key))
	p.wrote(rs("10"))
	p.cache.Put(rs("12"))
	assert.NoError(t, p.behind(key))
	assert.Empty(t, p.written)
}

// The server was restored from a backup that has not got as far.
func TestAWriteOfWhichACacheDoesNotHearIsNotWaitedForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patient{cache: controlloop.NewIndexer(), written: map[controlloop.Key]version{}}
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", ResourceVersion: "9"}}
		p.cache.Put(rs)
		written := controlloop.Copy(rs)
		written.ResourceVersion = "1000"
		p.wrote(written)
		time.Sleep(time.Minute - 1)
		assert.True(t, apierrors.IsConflict(p.behind(controlloop.KeyOf(rs))))
		time.Sleep(time.Nanosecond)
		assert.NoError(t, p.behind(controlloop.KeyOf(rs)))
	})
}

func TestControllersThatWaitHaveTheirNames(t *testing.T) {
	for name := range consistent {
		_, ok := lab.Named(name)
		assert.True(t, ok, name)
	}
}
