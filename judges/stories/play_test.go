package stories

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// play is a story that is played over some controllers, with their part in it:
// their writes, in order, and their events.
type play struct {
	t *testing.T
	c *cluster
	// unordered says that writes which controllers make without waiting in
	// between are sorted by name, for some of them are made side by side.
	unordered bool
	// quiet lists the kinds whose status is not worth a line at every write.
	quiet []string
	// pause is how long it takes until the consequences of a write have come;
	// the zero value: a second.
	pause time.Duration
	// rename gives objects whose names the server makes up the same ones in
	// every play, as far as it can; nil: they stay as they are.
	rename func(line string) string

	seen struct{ writes, events int }
	own  map[int]bool // which of the writes are the play's
	out  strings.Builder
}

// perform plays a story over controllers and returns the record.
func perform(t *testing.T, by controllers, p *play, story func(p *play)) string {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p.t, p.own = t, map[int]bool{}
		p.c = newCluster(t, by)
		defer p.c.stop()
		p.pass(time.Second)
		p.seen.writes = len(p.c.writes)
		story(p)
	})
	return strings.TrimLeft(p.out.String(), "\n")
}

// say begins a step.
func (p *play) say(format string, args ...any) {
	fmt.Fprintf(&p.out, "\n> "+format+"\n", args...)
}

// pass lets time pass, and all come to rest.
func (p *play) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// act makes one write of the play's own, while all others are at rest, and lets
// them come to rest again.
func (p *play) act(write func(ctx context.Context) error) {
	p.t.Helper()
	p.c.mu.Lock()
	next := len(p.c.writes)
	p.c.mu.Unlock()
	p.own[next] = true
	require.NoError(p.t, write(context.Background()))
	p.pass(max(p.pause, time.Second))
	p.observe()
}

// wait lets time pass, and writes down the consequences.
func (p *play) wait(d time.Duration) {
	p.say("%s pass", d)
	p.pass(d)
	p.observe()
}

// observe writes down the news.
func (p *play) observe() {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	var lines []string
	for n, w := range p.c.writes[p.seen.writes:] {
		if p.own[p.seen.writes+n] || w.Object.GetObjectKind().GroupVersionKind().Kind == "Event" {
			continue
		}
		if line := describe(w, p.quiet); line != "" {
			lines = append(lines, p.renamed(line))
		}
	}
	if p.unordered {
		slices.Sort(lines)
	}
	told := slices.Clone(p.c.events[p.seen.events:])
	for i := range told {
		told[i].name, told[i].text = p.renamed(told[i].name), p.renamed(told[i].text)
	}
	slices.SortStableFunc(told, func(a, b event) int {
		if order := strings.Compare(a.kind+a.name, b.kind+b.name); order != 0 || !p.unordered {
			return order
		}
		return strings.Compare(a.text, b.text)
	})
	for _, e := range told {
		lines = append(lines, fmt.Sprintf("  %s %s: %s", e.kind, e.name, e.text))
	}
	for _, line := range lines {
		fmt.Fprintln(&p.out, line)
	}
	p.seen.writes, p.seen.events = len(p.c.writes), len(p.c.events)
}

func (p *play) renamed(text string) string {
	if p.rename == nil {
		return text
	}
	return p.rename(text)
}

// create stores an object of a user's.
func (p *play) create(obj controlloop.Object) {
	p.t.Helper()
	p.act(func(ctx context.Context) error {
		_, err := p.c.store.Create(ctx, obj)
		return err
	})
}

// get returns an object of the store, or nil.
func get[T controlloop.Object](p *play, kind schema.GroupVersionKind, name string) (none T) {
	p.t.Helper()
	k, err := p.c.store.Kinds().For(kind)
	require.NoError(p.t, err)
	key := controlloop.Key{Name: name}
	if k.Namespaced {
		key.Namespace = metav1.NamespaceDefault
	}
	obj, err := p.c.store.Get(context.Background(), kind, key)
	if apierrors.IsNotFound(err) {
		return none
	}
	require.NoError(p.t, err)
	return obj.(T)
}

// edit changes an object of the store, as a user or a node would.
func edit[T controlloop.Object](
	p *play, kind schema.GroupVersionKind, name string, change func(T),
) {
	p.t.Helper()
	next := controlloop.Copy(get[T](p, kind, name))
	change(next)
	p.act(func(ctx context.Context) error {
		_, err := p.c.store.Update(ctx, next)
		return err
	})
}

// bind gives a Pod to a node, as a scheduler would.
func (p *play) bind(pod *corev1.Pod, node string) {
	p.t.Helper()
	p.act(func(ctx context.Context) error {
		return p.c.store.Bind(ctx, controlloop.NewBinding(pod, node))
	})
}

// remove deletes an object; within so many seconds, if it says.
func (p *play) remove(kind schema.GroupVersionKind, name string, grace ...int64) {
	p.t.Helper()
	obj := get[controlloop.Object](p, kind, name)
	require.NotNil(p.t, obj, "there is no %s %s", kind.Kind, name)
	var opts metav1.DeleteOptions
	if len(grace) > 0 {
		opts.GracePeriodSeconds = &grace[0]
	}
	p.act(func(ctx context.Context) error {
		return p.c.store.Delete(ctx, kind, controlloop.KeyOf(obj), opts)
	})
}

// meanwhile removes an object at once, between a controller's decision to create
// the next Pod and the creation.
func (p *play) meanwhile(kind schema.GroupVersionKind, name string) {
	p.t.Helper()
	key := controlloop.KeyOf(get[controlloop.Object](p, kind, name))
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.c.first = func() {
		p.c.mu.Lock()
		p.own[len(p.c.writes)] = true
		p.c.mu.Unlock()
		err := p.c.store.Delete(context.Background(), kind, key,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		assert.NoError(p.t, err)
	}
}

// pods returns all Pods, by name.
func (p *play) pods() (all []*corev1.Pod) {
	p.t.Helper()
	list, err := p.c.store.List(context.Background(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(p.t, err)
	for _, obj := range list.Items {
		all = append(all, obj.(*corev1.Pod))
	}
	return all
}

// runs makes a node report the state of a Pod.
func (p *play) runs(name string, phase corev1.PodPhase, ready bool) {
	p.t.Helper()
	if pod := get[*corev1.Pod](p, controlloop.PodKind, name); pod.Spec.NodeName == "" {
		p.bind(pod, "node-1")
	}
	state := strings.ToLower(string(phase))
	status := corev1.ConditionFalse
	if ready {
		state, status = "ready", corev1.ConditionTrue
	} else if phase == corev1.PodRunning {
		state = "not ready"
	}
	fmt.Fprintf(&p.out, "(%s is %s)\n", name, state)
	next := controlloop.Copy(get[*corev1.Pod](p, controlloop.PodKind, name))
	next.Status.Phase = phase
	next.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: controlloop.Now(),
	}}
	p.act(func(ctx context.Context) error {
		_, err := p.c.store.UpdateStatus(ctx, next)
		return err
	})
}

// ended makes a node say that a Pod that was told to go has gone.
func (p *play) ended(name string) {
	p.t.Helper()
	fmt.Fprintf(&p.out, "(%s has gone)\n", name)
	p.remove(controlloop.PodKind, name, 0)
}

// serve does the nodes' work, as long as there is any, one Pod at a time: a new
// Pod becomes ready, unless it is one of those that are broken; one that was
// told to go is gone.
func (p *play) serve(broken ...string) {
	p.t.Helper()
	for range 100 {
		pods := p.pods()
		at := slices.IndexFunc(pods, func(pod *corev1.Pod) bool {
			return pod.DeletionTimestamp != nil || pod.Spec.NodeName == ""
		})
		if at < 0 {
			return
		}
		if pod := pods[at]; pod.DeletionTimestamp != nil {
			p.ended(pod.Name)
		} else {
			p.runs(pod.Name, corev1.PodRunning, !slices.Contains(broken, pod.Name))
		}
	}
	p.t.Fatal("the Pods do not come to rest")
}
