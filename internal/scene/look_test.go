package scene_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/trace"
)

// assertTold asserts that a record tells of a run all that there is to see: how the
// store came to be as it is, and who wrote what because of what.
func assertTold(t *testing.T, record *trace.Recorder) {
	t.Helper()
	entries, there := record.Entries(), map[string]bool{}
	n := 0
	for _, e := range entries {
		if e.N > 0 {
			n++
			assert.Equal(t, n, e.N, "they are numbered without gaps")
			assert.Less(t, e.Cause, e.N, "a cause is before what it leads to: %+v", e)
		}
		id := e.Kind + " " + e.Key
		switch {
		case e.Do == trace.Write && e.Verb == "deleted":
			delete(there, id)
		case e.Do == trace.Write, e.Do == trace.Is:
			there[id] = true
		}
		isOfMachine := e.Kind == "Event" && e.Is != nil && strings.HasPrefix(e.Is.About, "Node ") // that it has started
		if e.Do == trace.Write && e.Lane != "the lab" && !isOfMachine {
			assert.NotZero(t, e.Cause, "nothing led to the write of %s by %s", id, e.Lane)
		}
	}
	assert.NotZero(t, n, "nothing is told")
	assert.Len(t, record.List(), len(there))
	for _, obj := range record.List() {
		kind, key := obj.GetObjectKind().GroupVersionKind().Kind, strings.TrimPrefix(controlloop.KeyOf(obj).String(), "/")
		all := record.Versions(kind, key)
		if assert.NotEmpty(t, all, "%s %s", kind, key) {
			assert.Equal(t, obj, all[len(all)-1].Object, "the last of %s %s is what is there", kind, key)
		}
	}
}
