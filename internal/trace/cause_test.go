package trace_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/trace"
)

// does is what a Reconciler does at each key.
type does func(key controlloop.Key)

func (do does) Reconcile(_ context.Context, key controlloop.Key) (controlloop.Result, error) {
	if do != nil {
		do(key)
	}
	return controlloop.Result{}, nil
}

// scene is a store, and loops whose caches hear of it when they are told to.
type scene struct {
	t *testing.T
	*trace.Recorder
	*controlloop.Store
}

func newScene(t *testing.T) *scene {
	r := trace.New()
	r.Begin()
	return &scene{t, r, controlloop.NewStore(controlloop.CoreKinds(), controlloop.OnWrite(r.Wrote))}
}

// loop is a controller that is looked at, with a cache of its own.
type loop struct {
	*controlloop.Controller
	pods *controlloop.Informer
}

func (s *scene) loop(name string, keys func(controlloop.Object) []controlloop.Key, do does) *loop {
	system := &controlloop.System{Client: s.Store, Trace: s.Recorder.Step}
	l := &loop{controlloop.NewController(name, do), system.Informer(controlloop.PodKind, controlloop.ListOptions{})}
	l.Watch(l.pods, keys)
	system.Add(l.Controller)
	s.Loop(l.Controller)
	s.hears(l)
	return l
}

// hears has a loop's cache hear of all that was written, and its handlers of that.
func (s *scene) hears(l *loop) {
	s.t.Helper()
	_, err := l.pods.Step(s.t.Context())
	require.NoError(s.t, err)
}

// turn has a loop hear, and reconcile one key.
func (s *scene) turn(l *loop) {
	s.t.Helper()
	s.hears(l)
	require.True(s.t, l.Step(s.t.Context(), 0))
}

// put creates a Pod, or writes that it is another owner's.
func (s *scene) put(name, owner string) {
	s.t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"owner": owner}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "web:v1"}}},
	}
	_, err := s.Create(s.t.Context(), pod)
	if err != nil {
		_, err = s.Update(s.t.Context(), pod)
	}
	require.NoError(s.t, err)
}

// remove deletes a Pod at once.
func (s *scene) remove(name string) {
	s.t.Helper()
	key := controlloop.Key{Namespace: "default", Name: name}
	require.NoError(s.t, s.Delete(s.t.Context(), controlloop.PodKind, key, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
}

func byOwner(obj controlloop.Object) []controlloop.Key {
	return []controlloop.Key{{Namespace: "default", Name: obj.GetLabels()["owner"]}}
}

// came is how a key came into a queue, or its run: by which version; 0: none.
type came struct {
	Do      trace.Do
	Verb    string
	Name    string
	Version uint64
}

// comes returns how the keys of a loop came into its queue, and its runs.
func (s *scene) comes(name string) (all []came) {
	entries := map[int]trace.Entry{}
	for _, e := range s.Entries() {
		entries[e.N] = e
		if e.Lane != name || e.Do != trace.Key && e.Do != trace.Run {
			continue
		}
		cause := entries[e.Cause]
		if e.Do == trace.Run {
			cause = entries[cause.Cause]
		}
		all = append(all, came{e.Do, e.Verb, e.Key, cause.Version})
	}
	return all
}

func key(name string, version uint64) came { return came{trace.Key, "", "default/" + name, version} }
func there(name string, version uint64) came {
	return came{trace.Key, "there", "default/" + name, version}
}
func run(name string, version uint64) came { return came{trace.Run, "", "default/" + name, version} }

func TestTheFirstEventOfAKeyIsWhyItsRunCame(t *testing.T) {
	s := newScene(t)
	l := s.loop("test", controlloop.Self, nil)
	s.put("web", "a")
	s.hears(l)
	s.put("web", "b")
	s.remove("web")
	s.hears(l)
	s.turn(l)
	s.put("web", "c")
	s.turn(l)
	assert.Equal(t, []came{key("web", 1), there("web", 2), there("web", 3), run("web", 1), key("web", 4), run("web", 4)}, s.comes("test"))
}

func TestTheEventThatIsDeliveredIsTheCauseAndNotOneThatACacheHeardOfMeanwhile(t *testing.T) {
	s := newScene(t)
	quick, slow := s.loop("quick", controlloop.Self, nil), s.loop("slow", controlloop.Self, nil)
	s.put("web", "a")
	s.hears(quick)
	s.put("web", "b")
	s.remove("web")
	s.hears(quick)
	s.hears(slow)
	assert.Equal(t, []came{key("web", 1), there("web", 2), there("web", 3)}, s.comes("slow"))
}

func TestAnObjectAsItWasAndAsItIsAreOneEvent(t *testing.T) {
	s := newScene(t)
	l := s.loop("test", byOwner, nil)
	s.put("web", "a")
	s.turn(l)
	s.put("web", "b")
	s.hears(l)
	s.put("other", "b")
	s.hears(l)
	s.turn(l)
	s.turn(l)
	assert.Equal(t, []came{key("a", 1), run("a", 1), key("a", 2), key("b", 2), there("b", 3), run("a", 2), run("b", 2)}, s.comes("test"))

	s.put("other", "b")
	s.put("web", "b")
	s.remove("web")
	s.hears(l)
	assert.Equal(t, []came{key("b", 4)}, s.comes("test")[7:], "a Pod that stays its owner's brings one key")
}

func TestAKeyThatComesDuringARunIsTheNextRuns(t *testing.T) {
	s := newScene(t)
	var l *loop
	l = s.loop("test", byOwner, func(key controlloop.Key) {
		if _, done := l.pods.Cache.Get(controlloop.Key{Namespace: "default", Name: "other"}); !done {
			s.put("other", "a")
			s.put("third", "a")
			s.hears(l)
		}
	})
	s.put("web", "a")
	s.turn(l)
	s.turn(l)
	assert.Equal(t, []came{key("a", 1), run("a", 1), key("a", 2), there("a", 3), run("a", 2)}, s.comes("test"))
}

// between does something when a worker has a key, and the recorder not yet.
type between struct {
	controlloop.Reconciler
	do does
}

func (b between) Reconcile(ctx context.Context, key controlloop.Key) (controlloop.Result, error) {
	b.do(key)
	return b.Reconciler.Reconcile(ctx, key)
}

func TestAKeyThatComesWhenAWorkerHasItIsTheNextRuns(t *testing.T) {
	s := newScene(t)
	l := s.loop("test", byOwner, nil)
	l.Reconciler = between{l.Reconciler, func(controlloop.Key) {
		if _, done := l.pods.Cache.Get(controlloop.Key{Namespace: "default", Name: "other"}); !done {
			s.put("other", "a")
			s.hears(l)
		}
	}}
	s.put("web", "a")
	s.turn(l)
	s.turn(l)
	first := run("a", 1)
	first.Verb = "there" // and the queue has it still
	assert.Equal(t, []came{key("a", 1), key("a", 2), first, run("a", 2)}, s.comes("test"))
}

func TestAnEventIsNotWhyARunCameWhoseKeyATimerHasAdded(t *testing.T) {
	s := newScene(t)
	l := s.loop("test", controlloop.Self, nil)
	s.put("web", "a")
	l.Queue.Add(controlloop.Key{Namespace: "default", Name: "web"})
	s.turn(l)
	assert.Equal(t, []came{there("web", 1), run("web", 0)}, s.comes("test"))
}

func TestALoopWhosePlaceAnotherHasTakenPutsNoKeysIntoItsQueue(t *testing.T) {
	s := newScene(t)
	old := s.loop("test", controlloop.Self, nil)
	l := s.loop("test", controlloop.Self, nil)
	s.put("web", "a")
	s.hears(l)
	s.put("web", "b")
	s.turn(old)
	assert.Equal(t, []came{key("web", 1)}, slices.DeleteFunc(s.comes("test"), func(c came) bool { return c.Do == trace.Run }))
}
