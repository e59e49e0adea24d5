package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A file of ours says this of itself.
const (
	apiVersion = "reconcile/v1"
	kind       = "LabSnapshot"
)

// These are the file's frame. Between the two are the objects, a line each.
const (
	frameStart = `{"apiVersion":%q,"kind":%q,"resourceVersion":"%d","objects":[`
	frameEnd   = "\n]}\n"
)

// line is an object as it is in the file, made once for each of its versions.
type line struct {
	obj  any
	text []byte // nil: not made yet
}

// encode writes the file. Lines that were not made yet are made here.
func encode(version uint64, lines []*line) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, frameStart, apiVersion, kind, version)
	for i, l := range lines {
		if l.text == nil {
			text, err := json.Marshal(l.obj)
			if err != nil {
				return nil, err
			}
			l.text = text
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(l.text)
	}
	out.WriteString(frameEnd)
	return out.Bytes(), nil
}
