package why

import "reflect"

// Notes are what objects have waited for, by kind and key, each from an entry of the
// record on.
type Notes map[string][]Note

// Note is a chain that holds from an entry on.
type Note struct {
	N int `json:"n"`
	Chain
}

// Record records what each object waits for, if that is something else than before.
func (notes Notes) Record(w World, n int) {
	for _, obj := range w.Objects {
		kind := kindOf(obj)
		if kind == "Event" || kind == "Lease" {
			continue
		}
		chain, _ := w.Explain(kind, keyOf(obj))
		had := notes[nameOf(obj)]
		switch {
		case len(had) == 0 && chain.Reason == Nothing:
		case len(had) > 0 && reflect.DeepEqual(had[len(had)-1].Chain, chain):
		default:
			notes[nameOf(obj)] = append(had, Note{n, chain})
		}
	}
}
