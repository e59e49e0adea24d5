package lab_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/lab"
	"reconcile/internal/trace"
)

const threeOfWeb = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
  "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}}}`

// looking runs a lab of two nodes that somebody looks at.
func looking(t *testing.T, do func(f fixture)) {
	t.Helper()
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.Look.Begin()
		defer f.Look.End()
		do(f)
	})
}

// typed sends what kubectl create would, and waits.
func (f fixture) typed(manifest string) {
	f.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/apis/apps/v1/namespaces/default/deployments", strings.NewReader(manifest))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Kubectl-Command", "kubectl create")
	w := httptest.NewRecorder()
	f.Handler.ServeHTTP(w, r)
	require.Equal(f.t, http.StatusCreated, w.Code, w.Body.String())
	pass(time.Minute)
}

// does is a Do that is not refused.
func (f fixture) does(verb, of string) {
	f.t.Helper()
	_, err := f.Do(trace.Verb{Name: verb, Of: of})
	require.NoError(f.t, err)
}

// entries returns what is recorded, without what was there before.
func (f fixture) entries() (all []trace.Entry) {
	for _, e := range f.Look.Entries() {
		if e.N > 0 {
			all = append(all, e)
		}
	}
	return all
}

// chain returns what led to an entry, which is the last.
func chain(all []trace.Entry, e trace.Entry) (chain []trace.Entry) {
	for {
		chain = append([]trace.Entry{e}, chain...)
		if e.Cause == 0 {
			return chain
		}
		e = all[e.Cause-all[0].N]
	}
}

func TestEveryWriteLeadsBackToWhatWasAskedFor(t *testing.T) {
	looking(t, func(f fixture) {
		f.typed(threeOfWeb)
		all := f.entries()
		ready := 0
		for i, e := range all {
			require.Equal(f.t, all[0].N+i, e.N)
			require.Less(f.t, e.Cause, e.N)
			if e.Do != trace.Write || e.Kind != "Pod" || e.Is.Mark != "ready" {
				continue
			}
			ready++
			led := chain(all, e)
			assert.Equal(f.t, trace.Ask, led[0].Do)
			assert.Equal(f.t, "kubectl create", led[0].Lane)
			var lanes []string
			for _, step := range led {
				if step.Do == trace.Write {
					lanes = append(lanes, strings.TrimRight(step.Lane, "0123456789"))
				}
			}
			assert.Equal(f.t, []string{"kubectl create", "deployment", "replicaset", "scheduler", "kubelet node-"}, slices.Compact(lanes))
		}
		assert.GreaterOrEqual(f.t, ready, 3)
	})
}

// entriesOf returns the entries of a loop that do something.
func entriesOf(all []trace.Entry, lane string, do trace.Do) (some []trace.Entry) {
	for _, e := range all {
		if e.Lane == lane && e.Do == do {
			some = append(some, e)
		}
	}
	return some
}

func TestAPausedLoopTakesNoKeyButStepByStep(t *testing.T) {
	looking(t, func(f fixture) {
		f.does("pause", "deployment")
		f.typed(threeOfWeb)
		assert.Empty(f.t, f.pods("default"))
		assert.Empty(f.t, entriesOf(f.entries(), "deployment", trace.Run))
		assert.NotEmpty(f.t, entriesOf(f.entries(), "deployment", trace.Key))
		f.does("step", "deployment")
		pass(time.Minute)
		assert.Len(f.t, f.pods("default"), 3)
		assert.Len(f.t, entriesOf(f.entries(), "deployment", trace.Run), 1)
		_, err := f.Do(trace.Verb{Name: "step", Of: "replicaset"})
		assert.EqualError(f.t, err, "replicaset isn't paused: pause it, then step")

		f.does("go-on", "deployment")
		pass(time.Minute)
		assert.Greater(f.t, len(entriesOf(f.entries(), "deployment", trace.Run)), 1)
	})
}

// A machine's heartbeat is held as well: when all go on, nobody has been missed.
func TestAWorldThatIsHeldGoesOnAsIfNothingHadBeen(t *testing.T) {
	looking(t, func(f fixture) {
		f.typed(threeOfWeb)
		f.does("pause", "")
		pass(time.Hour)
		before := len(entriesOf(f.entries(), "node-lifecycle-controller", trace.Write))
		f.does("go-on", "")
		pass(10 * time.Minute)
		assert.Equal(f.t, before, len(entriesOf(f.entries(), "node-lifecycle-controller", trace.Write)))
		assert.Len(f.t, f.pods("default"), 3)
	})
}

func TestAnEventThatIsDroppedIsHealedByAResync(t *testing.T) {
	looking(t, func(f fixture) {
		f.does("drop", "deployment")
		f.typed(threeOfWeb)
		assert.Empty(f.t, f.pods("default"))
		f.does("resync", "")
		pass(time.Minute)
		assert.Len(f.t, f.pods("default"), 3)
	})
}

func TestAConflictIsTriedAgain(t *testing.T) {
	looking(t, func(f fixture) {
		f.does("conflict", "replicaset")
		f.typed(threeOfWeb)
		struck := slices.DeleteFunc(entriesOf(f.entries(), "replicaset", trace.Act), func(e trace.Entry) bool { return e.Verb != "conflicted" })
		assert.Len(f.t, struck, 1)
		var wrong []string
		for _, e := range entriesOf(f.entries(), "replicaset", trace.End) {
			if e.Err != "" {
				wrong = append(wrong, e.Err)
			}
		}
		require.NotEmpty(f.t, wrong) // a cache may be behind besides
		assert.Contains(f.t, wrong[0], "the object has been modified; please apply your changes to the latest version and try again")
		assert.Len(f.t, f.pods("default"), 3)
	})
}

func TestALoopThatCrashesIsStartedAgain(t *testing.T) {
	for _, name := range []string{"deployment", "replicaset", "scheduler", "kubelet node-1"} {
		looking(t, func(f fixture) {
			f.does("crash", name)
			f.typed(threeOfWeb)
			var verbs []string
			for _, e := range entriesOf(f.entries(), name, trace.Act) {
				verbs = append(verbs, e.Verb)
			}
			assert.Equal(f.t, []string{"crash", "crashed", "restart"}, verbs)
			require.Len(f.t, f.pods("default"), 3)
			for _, p := range f.pods("default") {
				assert.EqualValues(f.t, "Running", p.Status.Phase)
			}
		})
	}
}

func TestALoopThatHasCrashedWritesNothingMoreNoEventEither(t *testing.T) {
	for _, name := range []string{"deployment", "replicaset", "scheduler", "kubelet node-1"} {
		looking(t, func(f fixture) {
			f.does("crash", name)
			f.typed(threeOfWeb)
			all, crashed := f.entries(), map[string]int{}
			for _, e := range entriesOf(all, name, trace.Act) {
				crashed[e.Verb] = e.N
			}
			for _, e := range entriesOf(all, name, trace.Write) {
				assert.False(f.t, crashed["crashed"] < e.N && e.N < crashed["restart"], "%s %s", e.Verb, e.Kind)
			}
			for _, obj := range f.list(eventKind, "default") {
				assert.NotContains(f.t, obj.(*corev1.Event).Message, "has crashed")
			}
		})
	}
}

func TestACacheThatIsKeptBackHearsLater(t *testing.T) {
	looking(t, func(f fixture) {
		_, err := f.Do(trace.Verb{Name: "late", Of: "deployments", For: 5 * time.Second})
		require.NoError(f.t, err)
		f.typed(threeOfWeb)
		all := f.entries()
		for _, e := range all {
			if e.Do == trace.Heard && e.Kind == "Deployment" {
				write := all[e.Cause-all[0].N]
				assert.Equal(f.t, (5 * time.Second).Microseconds(), e.At-write.At)
			}
		}
		assert.Len(f.t, f.pods("default"), 3)
	})
}

func TestNothingIsRecordedWhenNobodyLooks(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.typed(threeOfWeb)
		assert.Empty(f.t, f.entries())
		f.Look.Begin()
		assert.NotEmpty(f.t, f.Look.Entries(), "what is there")
		f.Look.End()
		pass(2 * time.Minute)
		assert.Empty(f.t, f.entries(), "it is forgotten")
	})
}

func TestWhatThereIsNotIsRefusedWithWhatThereIs(t *testing.T) {
	looking(t, func(f fixture) {
		for v, says := range map[trace.Verb]string{
			{Name: "pause", Of: "deploiment"}: "daemonset, deployment, disruption-controller",
			{Name: "drop"}:                    "which loop? There are",
			{Name: "halt"}:                    "there are pause, step",
			{Name: "late", Of: "Pot"}:         `there is no kind "Pot" here`,
			{Name: "cut", Of: "node-9"}:       "there are node-1 to node-2",
			{Name: "fail"}:                    "which image?",
		} {
			_, err := f.Do(v)
			assert.ErrorContains(f.t, err, says)
		}
	})
}

// Whoever breaks something by a command need not look on until it strikes.
func TestWhatIsAboutToBreakIsNotForgotten(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.does("drop", "deployment")
		pass(10 * time.Minute)
		f.typed(threeOfWeb)
		assert.Empty(f.t, f.pods("default"))
		f.does("resync", "")
		pass(time.Minute)
		assert.Len(f.t, f.pods("default"), 3)
		pass(10 * time.Minute)
		assert.Empty(f.t, f.entries(), "then it is")
	})
}
