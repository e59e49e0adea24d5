package tracediff

import (
	"encoding/json"
	"fmt"
)

// A step is an entry of a record, as far as two runs can have the same. A version, and
// what led to a step, count what came before it.
type step struct {
	Do   string `json:"do"`
	At   int64  `json:"at"` // microseconds since the record began
	Lane string `json:"lane"`
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Verb string `json:"verb"`
	Is   struct {
		Word string `json:"word"`
	} `json:"is"`
	Text  string `json:"text"`
	Wrote int    `json:"wrote"`
	After int64  `json:"after"`
	Err   string `json:"err"`
	Node  string `json:"node"`
}

// entry is a step with its place in a record.
type entry struct {
	N     int      `json:"n"`
	Calls []string `json:"calls"`
	step
	object string // as JSON: what was written
}

// read returns the entries of a record that package trace has written; nil has
// none.
func read(text []byte) ([]entry, error) {
	var record struct {
		Entries  []entry
		Versions map[string][]struct {
			N      int
			Object json.RawMessage
		}
	}
	if text == nil {
		return nil, nil
	}
	if err := json.Unmarshal(text, &record); err != nil {
		return nil, fmt.Errorf("the record of a cluster: %w", err)
	}
	objects := map[int]string{}
	for _, versions := range record.Versions {
		for _, v := range versions {
			objects[v.N] = string(v.Object)
		}
	}
	var all []entry
	for _, e := range record.Entries {
		if e.N > 0 { // others were there before
			e.object = objects[e.N]
			all = append(all, e)
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].At -= all[0].At
	}
	return all, nil
}
