package scene

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"reconcile/internal/trace"
	"reconcile/internal/trace/why"
)

// recordOf returns a record as a page has it. Of what was there before, it has the
// machines, and what has been written since.
func recordOf(r *trace.Recorder, waits why.Notes) ([]byte, error) {
	record := r.Record("")
	written := func(name string) bool {
		versions := record.Versions[name]
		return len(versions) > 0 && versions[len(versions)-1].N > 0
	}
	record.Entries = slices.DeleteFunc(record.Entries, func(e trace.Entry) bool {
		return e.Do == trace.Is && e.Kind != "Node" && !written(e.Kind+" "+e.Key)
	})
	maps.DeleteFunc(record.Versions, func(name string, _ []trace.Version) bool { return !written(name) })
	waits = maps.Clone(waits)
	maps.DeleteFunc(waits, func(name string, _ []why.Note) bool { return !written(name) })
	record.Waits = waits
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	err := lines.Encode(record)
	return out.Bytes(), err
}
