package rollingupdate_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// limiter has a token for a request every twentieth of a second, and keeps up
// to thirty. First come, first served: client-go's token bucket, with the
// default of its QPS and Burst for kube-controller-manager. So that each run is
// the same, those that come in one instant are served by the alphabet, and no
// two in the same instant.
type limiter struct {
	mu      sync.Mutex
	came    []request // in this instant
	full    time.Time // when the bucket will be full again
	granted time.Time // the last
}

type request struct {
	what    string
	granted chan struct{}
}

const (
	interval = time.Second / 20
	burst    = 30
	instant  = time.Microsecond
)

// wait returns when it is the turn of a request.
func (l *limiter) wait(what string) {
	r := request{what, make(chan struct{})}
	l.mu.Lock()
	l.came = append(l.came, r)
	if len(l.came) == 1 {
		time.AfterFunc(instant, l.serve)
	}
	l.mu.Unlock()
	<-r.granted
}

func (l *limiter) serve() {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.came, func(a, b request) int {
		return strings.Compare(a.what, b.what)
	})
	for _, r := range l.came {
		now := time.Now()
		l.full = latest(l.full, now).Add(interval)
		l.granted = latest(l.granted.Add(instant), l.full.Add(-burst*interval), now)
		time.AfterFunc(time.Until(l.granted), func() { close(r.granted) })
	}
	l.came = nil
}

func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}

// limited is a client whose requests wait for a limiter. An answer takes half an
// instant: so caches have always heard of a write before its author goes on.
type limited struct {
	controlloop.Client
	limiter *limiter
}

func (c limited) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	c.limiter.wait("get " + key.Name)
	return c.Client.Get(ctx, kind, key)
}

func (c limited) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	defer time.Sleep(instant / 2)
	c.limiter.wait("create " + obj.GetGenerateName() + obj.GetName())
	return c.Client.Create(ctx, obj)
}

func (c limited) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	defer time.Sleep(instant / 2)
	c.limiter.wait("update " + obj.GetName())
	return c.Client.Update(ctx, obj)
}

func (c limited) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	defer time.Sleep(instant / 2)
	c.limiter.wait("update status " + obj.GetName())
	return c.Client.UpdateStatus(ctx, obj)
}

func (c limited) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	defer time.Sleep(instant / 2)
	c.limiter.wait("delete " + key.Name)
	return c.Client.Delete(ctx, kind, key, opts)
}

// inTurn is a client that makes one deletion after the other, as a loop over the
// Pods does.
type inTurn struct {
	controlloop.Client
	turn chan struct{}
}

func (c inTurn) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	return c.Client.Delete(ctx, kind, key, opts)
}

// census adds up the sizes of the ReplicaSets, and counts the Pods that were not told to end, and those of them that are
// ready, at every write. It does a node's work, too: a Pod is ready two seconds
// after it was created, and gone a second after it was told to end.
type census struct {
	store *controlloop.Store

	mu          sync.Mutex
	live, ready int
	sizes       map[string]int32 // of the ReplicaSets
	start       time.Time        // of what is counted below
	wanted      int32            // the largest sum of sizes
	most, least int
	over, was   time.Duration // how long there were too many, and the last count
	asked       map[watch.EventType]int
}

// begin counts from here on.
func (c *census) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start, c.was, c.over = time.Now(), 0, 0
	c.most, c.least, c.wanted = c.live, c.ready, 0
	c.asked = map[watch.EventType]int{}
}

const allowed = 375 // of a Deployment of 300

func (c *census) wrote(w controlloop.Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rs, ok := w.Object.(*appsv1.ReplicaSet); ok {
		c.sizes[rs.Name] = *rs.Spec.Replicas
		sum := int32(0)
		for _, size := range c.sizes {
			sum += size
		}
		c.wanted = max(c.wanted, sum)
	}
	pod, ok := w.Object.(*corev1.Pod)
	if !ok {
		return
	}
	if c.live > allowed {
		c.over += time.Since(c.start) - c.was
	}
	c.was = time.Since(c.start)
	live, ready := changes(w)
	c.live += live
	c.ready += ready
	c.most, c.least = max(c.most, c.live), min(c.least, c.ready)
	switch {
	case live > 0:
		c.note(watch.Added)
		time.AfterFunc(2*time.Second+instant/3, func() { c.starts(pod) })
	case live < 0:
		c.note(watch.Deleted)
		time.AfterFunc(time.Second+instant/5, func() { c.ends(pod) })
	}
}

// note counts what was done in the first five seconds.
func (c *census) note(what watch.EventType) {
	if c.was <= 5*time.Second {
		c.asked[what]++
	}
}

// changes returns by how many a write changes the numbers of Pods that live and
// that are ready.
func changes(w controlloop.Write) (live, ready int) {
	add := func(obj controlloop.Object, n int) {
		pod, ok := obj.(*corev1.Pod)
		if !ok || pod.DeletionTimestamp != nil {
			return
		}
		live += n
		if kubetest.Ready(pod) {
			ready += n
		}
	}
	if w.Type != watch.Added {
		add(w.Old, -1)
	}
	if w.Type != watch.Deleted {
		add(w.Object, 1)
	}
	return live, ready
}

func (c *census) starts(pod *corev1.Pod) {
	ctx := context.Background()
	obj, err := c.store.Get(ctx, controlloop.PodKind, controlloop.KeyOf(pod))
	if err != nil {
		return // it is gone
	}
	next := controlloop.Copy(obj.(*corev1.Pod))
	next.Status.Phase = corev1.PodRunning
	next.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: corev1.ConditionTrue,
		LastTransitionTime: controlloop.Now(),
	}}
	_, _ = c.store.UpdateStatus(ctx, next)
}

func (c *census) ends(pod *corev1.Pod) {
	_ = c.store.Delete(context.Background(), controlloop.PodKind,
		controlloop.KeyOf(pod), *metav1.NewDeleteOptions(0))
}

// now returns how many Pods live.
func (c *census) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live
}

// onNode binds Pods from the beginning, so that they end gracefully.
func onNode(d *appsv1.Deployment) { d.Spec.Template.Spec.NodeName = "node-1" }

// roll300 gives three hundred Pods another template, behind a limiter. It
// returns how many lived, second by second, and what else was counted.
func roll300(
	t *testing.T, client func(controlloop.Client) controlloop.Client,
) (seconds []int, c *census) {
	c = &census{asked: map[watch.EventType]int{}, sizes: map[string]int32{}}
	c.store = controlloop.NewStore(allKinds(), controlloop.WithHistory(100_000),
		controlloop.OnWrite(c.wrote))
	system := &controlloop.System{Client: client(limited{c.store, &limiter{}})}
	rollingupdate.NewDeployments(system)
	deployment.NewReplicaSets(system)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { system.Run(ctx) })
	_, err := c.store.Create(ctx, web("web", 300, bounds("25%", "25%"), onNode))
	require.NoError(t, err)
	time.Sleep(time.Minute)
	require.Equal(t, 300, c.now())
	c.begin()
	obj, err := c.store.Get(ctx, deployment.DeploymentKind, kubetest.Named("web"))
	require.NoError(t, err)
	next := controlloop.Copy(obj.(*appsv1.Deployment))
	image("web:v2")(next)
	_, err = c.store.Update(ctx, next)
	require.NoError(t, err)
	for range 60 {
		seconds = append(seconds, c.now())
		time.Sleep(time.Second)
	}
	cancel()
	running.Wait()
	return seconds, c
}

// Three hundred are updated by a quarter, and all requests of the controllers
// share a limiter.
func TestRunOfAnUpdateBehindALimiter(t *testing.T) {
	type series struct {
		Name   string   `json:"name"`
		Points [][2]int `json:"points"`
	}
	var lines []series
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-13s %8s %8s %12s %10s %14s %13s\n", "", "created", "deleted",
		"most wanted", "most Pods", "above 375 for", "fewest ready")
	for _, form := range []struct {
		name   string
		client func(controlloop.Client) controlloop.Client
	}{
		{"one by one", func(c controlloop.Client) controlloop.Client {
			return inTurn{c, make(chan struct{}, 1)}
		}},
		{"side by side", func(c controlloop.Client) controlloop.Client { return c }},
	} {
		synctest.Test(t, func(t *testing.T) {
			seconds, c := roll300(t, form.client)
			assert.Equal(t, 300, c.now())
			line := series{Name: form.name}
			for at, live := range seconds {
				line.Points = append(line.Points, [2]int{at, live})
			}
			lines = append(lines, line)
			fmt.Fprintf(&out, "%-13s %8d %8d %12d %10d %14s %13d\n", form.name,
				c.asked[watch.Added], c.asked[watch.Deleted], c.wanted, c.most,
				c.over.Round(100*time.Millisecond), c.least)
		})
	}
	kubetest.Recorded(t, "limiter.txt", out.Bytes())
	kubetest.RecordedJSON(t, "limiter.json", map[string]any{
		"title": "An update of 300 behind a rate limit",
		"x":     map[string]any{"label": "seconds"},
		"y":     map[string]any{"label": "Pods that weren't told to end"},
		"series": append(lines, series{Name: "allowed",
			Points: [][2]int{{0, allowed}, {59, allowed}}}),
	})
}
