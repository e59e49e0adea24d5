package trace_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
	"reconcile/internal/trace"
)

// witness notes at the queues themselves which event brought a key first, and what a
// worker took: it knows nothing of a record.
type witness struct {
	mu     sync.Mutex
	events map[string]bool // versions of the kind Event, by which nothing is told
	waits  map[string]string
	seen   map[string][]string // by loop and key
}

func (w *witness) wrote(write controlloop.Write) {
	if _, ok := write.Object.(*corev1.Event); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events[write.Object.GetResourceVersion()] = true
	}
}

func (w *witness) step(s controlloop.Step) {
	if s.Controller == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := s.Controller.Name + " " + strings.TrimPrefix(s.Key.String(), "/")
	first, waits := w.waits[of]
	switch {
	case s.Action == "reconcile":
		if first != "" {
			w.seen[of] = append(w.seen[of], first)
		}
		delete(w.waits, of)
	case waits || w.events[s.Version]:
	case s.There:
		w.waits[of] = "" // a timer's
	default:
		w.waits[of] = s.Version
	}
}

// told returns what led to each run, as a record has it.
func told(t *testing.T, all []trace.Entry) map[string][]string {
	t.Helper()
	entry := func(n int) trace.Entry { return all[n-all[0].N] }
	seen := map[string][]string{}
	for _, run := range all {
		if run.Do != trace.Run || run.Cause == 0 || entry(run.Cause).Do != trace.Key {
			continue
		}
		key := entry(run.Cause)
		require.Empty(t, key.Verb, "what found a key in its queue led to no run")
		require.Equal(t, run.Lane+run.Key, key.Lane+key.Key)
		heard := entry(key.Cause)
		require.Equal(t, trace.Heard, heard.Do)
		if heard.Cause > 0 {
			require.Equal(t, heard.Version, entry(heard.Cause).Version)
		}
		of := run.Lane + " " + run.Key
		seen[of] = append(seen[of], strconv.FormatUint(heard.Version, 10))
	}
	return seen
}

func TestARecordOfALabThatRunsHasTheCausesThatItsQueuesHad(t *testing.T) {
	w := &witness{events: map[string]bool{}, waits: map[string]string{}, seen: map[string][]string{}}
	l, err := lab.New(lab.Options{Nodes: 3, Trace: w.step, StoreOptions: []controlloop.Option{controlloop.OnWrite(w.wrote)}})
	require.NoError(t, err)
	defer l.Close()
	l.Look.Begin()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })

	send(t, l, http.MethodPost, "/apis/apps/v1/namespaces/default/deployments", twentyOfWeb)
	for range 4 {
		for _, name := range ready(t, l, 20)[:5] {
			send(t, l, http.MethodDelete, "/api/v1/namespaces/default/pods/"+name+"?gracePeriodSeconds=1", "")
		}
	}
	ready(t, l, 20)
	stop()
	running.Wait()

	var all []trace.Entry
	for _, e := range l.Look.Entries() {
		if e.N > 0 {
			all = append(all, e)
		}
	}
	said := told(t, all)
	assert.Greater(t, len(said["replicaset "+replicaSet(all)]), 10)
	for of := range w.seen {
		assert.Equal(t, w.seen[of], said[of], of)
	}
	for of := range said {
		assert.Contains(t, w.seen, of)
	}
}

const twentyOfWeb = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
  "replicas": 20, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}}}`

// replicaSet returns the key of the one that was created.
func replicaSet(all []trace.Entry) string {
	for _, e := range all {
		if e.Do == trace.Write && e.Kind == "ReplicaSet" {
			return e.Key
		}
	}
	return ""
}

// send sends a request, which is granted.
func send(t *testing.T, l *lab.Lab, method, path, body string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	l.Handler.ServeHTTP(answer, r)
	require.Less(t, answer.Code, 300, fmt.Sprint(method, path, answer.Body))
}

// ready waits until so many Pods are ready and none more is there, and returns their names.
func ready(t *testing.T, l *lab.Lab, count int) (names []string) {
	t.Helper()
	for {
		list, err := l.Store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{Namespace: "default"})
		require.NoError(t, err)
		names = nil
		for _, obj := range list.Items {
			for _, c := range obj.(*corev1.Pod).Status.Conditions {
				if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue && obj.GetDeletionTimestamp() == nil {
					names = append(names, obj.GetName())
				}
			}
		}
		if len(names) == count && len(list.Items) == count {
			return names
		}
		time.Sleep(time.Millisecond)
	}
}
