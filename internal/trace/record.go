package trace

// Record is all that was recorded, with every version of every object: what a file has
// of a run that is over.
type Record struct {
	Title    string               `json:"title,omitempty"`
	Entries  []Entry              `json:"entries"`
	Versions map[string][]Version `json:"versions"`        // by kind and key: "Pod default/web-1"
	Waits    any                  `json:"waits,omitempty"` // likewise: what each has waited for
}

// Record returns all that is recorded so far.
func (r *Recorder) Record(title string) Record {
	record := Record{Title: title, Entries: append([]Entry{}, r.Entries()...), Versions: map[string][]Version{}}
	for _, e := range record.Entries {
		if e.object != nil {
			name := e.Kind + " " + e.Key
			record.Versions[name] = append(record.Versions[name], e.version())
		}
	}
	return record
}

// version returns the object that an entry tells of.
func (e Entry) version() Version {
	return Version{N: e.N, At: e.At, Lane: e.Lane, Version: e.Version, Object: e.object}
}
