package apiserver

import (
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/printers"
)

// list is a list of objects of any kind, as every XList of
// Kubernetes' is written.
type list struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
	Items           []controlloop.Object `json:"items"`
}

// write sends a reply, in the form that the client asked for.
func (c *call) write(reply reply) error {
	body, err := c.shape(reply.body)
	if err != nil {
		return err
	}
	pieces, err := c.encode(body)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", c.media.contentType())
	c.w.Header().Set("Cache-Control", "no-cache, private")
	c.w.WriteHeader(reply.code)
	// A client that does not read is cut off after a while. A connection that
	// knows no deadlines has none.
	connection := http.NewResponseController(c.w)
	defer connection.SetWriteDeadline(time.Time{})
	for piece := range pieces {
		connection.SetWriteDeadline(time.Now().Add(c.limits.Stall))
		if _, err := c.w.Write(piece); err != nil {
			return nil // the client has gone
		}
	}
	return nil
}

// encode returns body as text, piece by piece.
func (c *call) encode(body any) (iter.Seq[[]byte], error) {
	var text []byte
	var err error
	switch list, isList := body.(*list); {
	case c.media.yaml:
		text, err = yaml.Marshal(body)
	case c.media.pretty:
		text, err = json.MarshalIndent(body, "", "  ")
	case isList:
		return c.encodings.ofList(list)
	default:
		text, err = json.Marshal(body)
	}
	return func(yield func([]byte) bool) {
		if yield(text) && !c.media.yaml && !c.media.pretty {
			yield(newline)
		}
	}, err
}

// shape turns an object or a list into the form that was asked for. A Status,
// and an object that is not of this resource, stay as they are.
func (c *call) shape(body any) (any, error) {
	switch body := body.(type) {
	case *list:
		return c.shapeList(body)
	case controlloop.Object:
		return c.shapeObject(body)
	}
	return body, nil
}

func (c *call) shapeObject(obj controlloop.Object) (any, error) {
	switch c.media.as {
	case asPartial:
		return c.partial(obj), nil
	case asPartialList:
		return nil, refusal(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			"you requested PartialObjectMetadataList, but the requested object is not a list")
	case asTable:
		if obj.GetObjectKind().GroupVersionKind() != c.GroupVersionKind {
			return obj, nil // a Scale has no columns
		}
		return c.table([]controlloop.Object{obj},
			metav1.ListMeta{ResourceVersion: obj.GetResourceVersion()}, false, false)
	}
	return obj, nil
}

func (c *call) shapeList(l *list) (any, error) {
	switch c.media.as {
	case asTable:
		return c.table(l.Items, l.ListMeta, true, false)
	case asPartial:
		return nil, refusal(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			"you requested PartialObjectMetadata, but the requested object is a list")
	case asPartialList:
		partial := &metav1.PartialObjectMetadataList{
			TypeMeta: c.metaType(asPartialList), ListMeta: l.ListMeta,
			Items: []metav1.PartialObjectMetadata{},
		}
		for _, obj := range l.Items {
			partial.Items = append(partial.Items, *c.partial(obj))
		}
		return partial, nil
	}
	return l, nil
}

func (c *call) partial(obj controlloop.Object) *metav1.PartialObjectMetadata {
	partial := meta.AsPartialObjectMetadata(obj)
	partial.TypeMeta = c.metaType(asPartial)
	return partial
}

func (c *call) metaType(kind string) metav1.TypeMeta {
	version := schema.GroupVersion{Group: metav1.GroupName, Version: c.media.version}
	return metav1.TypeMeta{APIVersion: version.String(), Kind: kind}
}

// table returns the table that kubectl prints. Only the first of a stream has
// headers.
func (c *call) table(
	objs []controlloop.Object, about metav1.ListMeta, list, noHeaders bool,
) (*metav1.Table, error) {
	include, err := c.includeObject()
	if err != nil {
		return nil, err
	}
	table := printers.Table(c.Kind.Kind, objs, printers.Options{
		Include: include, NoHeaders: noHeaders, List: list,
	})
	table.TypeMeta = c.metaType(asTable)
	table.ListMeta = about
	return table, nil
}
