package apiserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// errStalled ends the watch of a client that has stopped reading. It may come
// back, and is told 410 Expired if it was away for too long.
var errStalled = errors.New("the client does not read")

// frames are the events of a watch on their way to the client, one JSON object a
// line. Events that a client does not read are not kept for it: the connection
// takes so much, and then the watch waits, which costs others nothing.
type frames struct {
	call       *call
	out        *bufio.Writer
	connection *http.ResponseController
	headers    bool // the first Table has been sent
}

func (c *call) frames() *frames {
	c.w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	c.w.Header().Set("Cache-Control", "no-cache, private")
	c.w.WriteHeader(http.StatusOK)
	return &frames{
		call: c, out: bufio.NewWriterSize(c.w, 16<<10),
		connection: http.NewResponseController(c.w),
	}
}

// send writes an event. It reaches the client at the next flush, or before.
func (f *frames) send(event watch.Event) error {
	text, err := f.encode(event.Object.(controlloop.Object), event.Type)
	if err != nil {
		return err
	}
	return f.write(event.Type, text)
}

// encode returns the object of an event in the form that the client asked for.
// In its own form, an object is written once for all its watchers.
func (f *frames) encode(
	obj controlloop.Object, event watch.EventType,
) ([]byte, error) {
	c := f.call
	obj = c.views[""].show(obj)
	switch {
	case event == watch.Bookmark:
		obj = controlloop.Copy(obj)
		obj.GetObjectKind().SetGroupVersionKind(c.GroupVersionKind)
	case c.media.as == "":
		return c.encodings.of(obj)
	}
	var body any = obj
	switch c.media.as {
	case asPartial, asPartialList:
		body = c.partial(obj)
	case asTable:
		table, err := c.table([]controlloop.Object{obj},
			metav1.ListMeta{ResourceVersion: obj.GetResourceVersion()}, false, f.headers)
		if err != nil {
			return nil, err
		}
		f.headers = true
		body = table
	}
	return json.Marshal(body)
}

// error tells the client why the watch ends.
func (f *frames) error(err error) {
	text, _ := json.Marshal(statusOf(err))
	f.write(watch.Error, text)
}

func (f *frames) write(event watch.EventType, object []byte) error {
	f.hurry()
	fmt.Fprintf(f.out, `{"type":%q,"object":`, event)
	f.out.Write(object)
	_, err := f.out.WriteString("}\n")
	return f.stalled(err)
}

// flush lets the client have all that was sent.
func (f *frames) flush() error {
	f.hurry()
	err := f.out.Flush()
	if err == nil {
		err = f.connection.Flush()
	}
	return f.stalled(err)
}

// hurry gives the client so long to read from here on.
func (f *frames) hurry() {
	f.connection.SetWriteDeadline(time.Now().Add(f.call.limits.Stall))
}

func (f *frames) stalled(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errStalled, err)
}

// end sends the rest, and frees the connection for the next request.
func (f *frames) end() {
	f.flush()
	f.connection.SetWriteDeadline(time.Time{})
}
