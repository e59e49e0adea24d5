package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
	"reconcile/internal/trace"
)

// traced is an event of the Trace Event Format.
type traced struct {
	Ph, Name, Cat, Bp, S string
	Ts, Dur              *float64
	Pid, Tid, ID         int
	Args                 map[string]any
}

// parsed reads a trace as its readers do: a list of events, and none of a kind that
// there isn't.
func parsed(t *testing.T, text []byte) (all []traced) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&all), "%s", text)
	for _, e := range all {
		assert.Contains(t, []string{"M", "X", "i", "s", "t", "f", "C"}, e.Ph)
		assert.NotEmpty(t, e.Name)
		assert.Positive(t, e.Pid)
		assert.True(t, e.Ts != nil && (*e.Ts > 0 || e.Ph == "M"))
	}
	return all
}

// slice returns the name of the slice that an event is in, the innermost.
func (e traced) slice(all []traced) (name string) {
	for _, s := range all {
		if s.Ph == "X" && s.Pid == e.Pid && s.Tid == e.Tid && *s.Ts < *e.Ts && *e.Ts < *s.Ts+*s.Dur {
			name = s.Name
		}
	}
	return name
}

// traces runs a lab of two nodes, and returns its trace and the versions that its
// store wrote meanwhile.
func traces(t *testing.T, do func(f fixture)) (all []traced, versions []int) {
	t.Helper()
	var written []int
	wrote := controlloop.OnWrite(func(w controlloop.Write) {
		version, err := strconv.Atoi(w.Object.GetResourceVersion())
		require.NoError(t, err)
		written = append(written, version)
	})
	running(t, lab.Options{Nodes: 2, StoreOptions: []controlloop.Option{wrote}}, func(f fixture) {
		written = nil
		ctx, stop := context.WithCancel(f.t.Context())
		var file bytes.Buffer
		done := make(chan error)
		go func() { done <- f.Look.Trace(ctx, &file) }()
		pass(time.Second)
		do(f)
		stop()
		require.NoError(f.t, <-done)
		all, versions = parsed(f.t, file.Bytes()), slices.Clone(written)
	})
	return all, versions
}

func TestATraceHasEachWriteOfTheStore(t *testing.T) {
	all, versions := traces(t, func(f fixture) { f.typed(threeOfWeb) })
	var written []int
	for _, e := range all {
		if e.Cat == "write" {
			written = append(written, int(e.Args["version"].(float64)))
		}
	}
	slices.Sort(written)
	slices.Sort(versions)
	assert.NotEmpty(t, versions)
	assert.Equal(t, versions, written)
}

func TestEachFlowOfATraceLeadsFromASliceToAReconcile(t *testing.T) {
	all, _ := traces(t, func(f fixture) {
		f.typed(threeOfWeb)
		f.delete(controlloop.PodKind, "default", f.pods("default")[0].Name) // while the Deployment is idle
		pass(time.Minute)
	})
	names, flows := map[int]string{}, map[int][]traced{}
	for _, e := range all {
		switch {
		case e.Ph == "M":
			names[e.Pid] = e.Args["name"].(string)
		case e.Cat == "cause":
			flows[e.ID] = append(flows[e.ID], e)
		}
	}
	from := map[string]bool{}
	require.NotEmpty(t, flows)
	for id, flow := range flows {
		last := len(flow) - 1
		for n, e := range flow {
			assert.NotEmpty(t, e.slice(all), "flow %d, %s", id, e.Ph)
			assert.Equal(t, map[bool]string{true: "s"}[n == 0]+map[bool]string{true: "t"}[0 < n && n < last]+
				map[bool]string{true: "f"}[n == last], e.Ph)
		}
		assert.Equal(t, "e", flow[last].Bp)
		from[names[flow[0].Pid]+" to "+names[flow[last].Pid]] = true
	}
	for _, way := range []string{
		"kubectl create to deployment", "deployment to replicaset", "replicaset to scheduler",
		"scheduler to kubelet node-1", "replicaset to deployment",
	} {
		assert.Contains(t, from, way)
	}
}

// What is at work at the same time is on different threads: slices of one nest, or are
// apart.
func TestSlicesOfAThreadAreApart(t *testing.T) {
	all, _ := traces(t, func(f fixture) { f.typed(threeOfWeb) })
	type thread struct{ pid, tid int }
	threads := map[thread][]traced{}
	depth := map[int]float64{}
	for _, e := range all {
		switch e.Ph {
		case "X":
			at := thread{e.Pid, e.Tid}
			threads[at] = append(threads[at], e)
		case "C":
			depth[e.Pid] = e.Args["keys"].(float64)
		}
	}
	for _, slices := range threads {
		for n, e := range slices {
			for _, other := range slices[:n] {
				assert.True(t, *other.Ts+*other.Dur <= *e.Ts || *e.Ts+*e.Dur <= *other.Ts, "%v %v", other, e)
			}
		}
	}
	require.NotEmpty(t, depth)
	for pid, keys := range depth {
		assert.Zero(t, keys, "what waits in the queue of process %d", pid)
	}
}

func TestWhatIsUnderWayAndWhatWasDoneIsInATrace(t *testing.T) {
	all, _ := traces(t, func(f fixture) {
		f.does("slow", "deployment")
		f.does("drop", "replicaset")
		_, err := f.Do(trace.Verb{Name: "late", Of: "Pod", For: time.Second})
		require.NoError(f.t, err)
		f.does("pause", "deployment")
		f.typed(threeOfWeb)
	})
	var acts []string
	waiting := 0.0
	for _, e := range all {
		switch {
		case e.Cat == "act":
			acts = append(acts, e.Name)
		case e.Ph == "C":
			waiting = max(waiting, e.Args["keys"].(float64))
		}
	}
	assert.Equal(t, []string{"slow: a second for each step", "its next event will be dropped",
		"Pod: caches hear of each Pod 1s late", "paused"}, acts)
	assert.Positive(t, waiting, "a paused loop's key")
}

// full is a disk on which nothing fits any more.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestATraceThatCannotBeWrittenEndsByItself(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		done := make(chan error, 1)
		go func() { done <- f.Look.Trace(f.t.Context(), &full{5000}) }()
		f.typed(threeOfWeb)
		assert.Equal(f.t, errFull, <-done)
		assert.Len(f.t, f.pods("default"), 3)
	})
}
