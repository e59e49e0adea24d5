package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
)

// encodingsBudget is how many bytes of written objects are kept.
const encodingsBudget = 32 << 20

// encodings remember how objects were written last: of a hundred clients that
// watch or list the same objects, the first causes each to be written, and the
// others read that. Objects never change, so their texts stay true.
type encodings struct {
	mu     sync.Mutex
	budget int
	kept   map[controlloop.Object]*encoding
	order  []*encoding // oldest first
	size   int         // bytes of those that are written
}

// encoding is one object, written when first asked for.
type encoding struct {
	obj  controlloop.Object
	once sync.Once
	text []byte
	err  error
	size int // counted in encodings.size
}

func newEncodings(budget int) *encodings {
	return &encodings{budget: budget, kept: map[controlloop.Object]*encoding{}}
}

// of returns obj as JSON. The result is shared.
func (e *encodings) of(obj controlloop.Object) ([]byte, error) {
	one := e.entry(obj)
	one.once.Do(func() {
		one.text, one.err = json.Marshal(one.obj)
		e.wrote(one)
	})
	return one.text, one.err
}

// write writes obj as JSON. A buffer that can hold on to the text gets no copy.
func (e *encodings) write(obj controlloop.Object, w io.Writer) error {
	text, err := e.of(obj)
	if err != nil {
		return err
	}
	if buffer, ok := w.(runtime.Splice); ok {
		buffer.Splice(text)
		return nil
	}
	return writeAll(w, text, newline)
}

var comma, newline = []byte(","), []byte("\n")

func writeAll(w io.Writer, pieces ...[]byte) error {
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// writeList writes a list as JSON, object by object: a client that reads slowly
// holds the same texts as others, and no copy.
func (e *encodings) writeList(l *list, w io.Writer) error {
	about, err := json.Marshal(list{l.TypeMeta, l.ListMeta, []controlloop.Object{}})
	if err != nil {
		return err
	}
	const end = "]}"
	if err := writeAll(w, bytes.TrimSuffix(about, []byte(end))); err != nil {
		return err
	}
	for i, obj := range l.Items {
		text, err := e.of(obj)
		if err == nil && i > 0 {
			err = writeAll(w, comma)
		}
		if err == nil {
			err = writeAll(w, text)
		}
		if err != nil {
			return err
		}
	}
	return writeAll(w, []byte(end+"\n"))
}

// writeFrame writes an event of a watch as one line of JSON, around the text of its
// object as it is.
func writeFrame(event *metav1.WatchEvent, w io.Writer) error {
	return writeAll(w, fmt.Appendf(nil, `{"type":%q,"object":`, event.Type),
		bytes.TrimSuffix(event.Object.Raw, newline), []byte("}\n"))
}
func (e *encodings) entry(obj controlloop.Object) *encoding {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.kept[obj]
	if one == nil {
		one = &encoding{obj: obj}
		e.kept[obj] = one
		e.order = append(e.order, one)
	}
	return one
}

// wrote counts the bytes of one more, and forgets the oldest if there are too
// many.
func (e *encodings) wrote(one *encoding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kept[one.obj] != one {
		return // forgotten already
	}
	one.size = len(one.text)
	e.size += one.size
	for e.size > e.budget && len(e.order) > 1 {
		oldest := e.order[0]
		e.order = e.order[1:]
		delete(e.kept, oldest.obj)
		e.size -= oldest.size
	}
}
