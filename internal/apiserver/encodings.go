package apiserver

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"sync"

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
	kept   map[form]*encoding
	order  []*encoding // oldest first
	size   int         // bytes of those that are written
}

// form names an object in a form: as JSON, or as an encoder of Kubernetes' writes it,
// whose name it has then: an event of a watch, a row of a table.
type form struct {
	obj controlloop.Object
	by  runtime.Identifier // "": JSON
}

// encoding is one object in one form, written when first asked for.
type encoding struct {
	form
	once sync.Once
	text []byte
	err  error
	size int // counted in encodings.size
}

func newEncodings(budget int) *encodings {
	return &encodings{budget: budget, kept: map[form]*encoding{}}
}

// asJSON returns obj as JSON. The result is shared.
func (e *encodings) asJSON(obj controlloop.Object) ([]byte, error) {
	return e.in(form{obj: obj}, func(w io.Writer) error {
		text, err := json.Marshal(obj)
		w.Write(text)
		return err
	})
}

// in returns an object in a form. If nobody has written it in that form yet,
// write does.
func (e *encodings) in(form form, write func(io.Writer) error) ([]byte, error) {
	one := e.entry(form)
	one.once.Do(func() {
		var text bytes.Buffer
		one.err = write(&text)
		one.text = bytes.Clone(text.Bytes())
		e.wrote(one)
	})
	return one.text, one.err
}

// shared is an object of the store, which is never changed. It is a
// runtime.CacheableObject.
type shared struct {
	controlloop.Object
	texts *encodings
}

// CacheEncode implements runtime.CacheableObject.
func (s shared) CacheEncode(
	by runtime.Identifier, encode func(runtime.Object, io.Writer) error, w io.Writer,
) error {
	text, err := s.texts.in(form{s.Object, by}, func(w io.Writer) error {
		return encode(s.Object, w)
	})
	if err != nil {
		return err
	}
	return writeAll(w, text)
}

// GetObject implements runtime.CacheableObject.
func (s shared) GetObject() runtime.Object { return controlloop.Copy(s.Object) }

var newline = []byte("\n")

func writeAll(w io.Writer, pieces ...[]byte) error {
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// writeList writes a list as JSON, object by object: a client that reads slowly
// holds the same texts as others, and no copy. The list says of which kind all are.
func (e *encodings) writeList(l *list, w io.Writer) error {
	about, err := json.Marshal(list{l.TypeMeta, l.ListMeta, []controlloop.Object{}, false})
	if err != nil {
		return err
	}
	const end = "]}"
	if err := writeAll(w, bytes.TrimSuffix(about, []byte(end))); err != nil {
		return err
	}
	begin := []byte("{")
	text := e.asJSON
	if l.made {
		text = func(obj controlloop.Object) ([]byte, error) { return json.Marshal(obj) }
	}
	for _, obj := range l.Items {
		text, err := text(obj)
		if err == nil {
			err = writeAll(w, begin, text[len(saidKind.Find(text)):])
		}
		if err != nil {
			return err
		}
		begin = []byte(",{")
	}
	return writeAll(w, []byte(end+"\n"))
}

// saidKind is how an object's text begins, with its kind if that is said:
// {"kind":"Pod","apiVersion":"v1",
var saidKind = regexp.MustCompile(`^\{("kind":"\w+","apiVersion":"[\w./]+",)?`)

func (e *encodings) entry(form form) *encoding {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.kept[form]
	if one == nil {
		one = &encoding{form: form}
		e.kept[form] = one
		e.order = append(e.order, one)
	}
	return one
}

// wrote counts the bytes of one more, and forgets the oldest if there are too
// many.
func (e *encodings) wrote(one *encoding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kept[one.form] != one {
		return // forgotten already
	}
	one.size = len(one.text)
	if obj, ok := one.obj.(interface{ Size() int }); ok { // which is kept, too
		one.size = max(one.size, obj.Size())
	}
	e.size += one.size
	for e.size > e.budget && len(e.order) > 1 {
		oldest := e.order[0]
		e.order = e.order[1:]
		delete(e.kept, oldest.form)
		e.size -= oldest.size
	}
}
