package apiserver

import (
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/rules"
	"reconcile/internal/apiserver/versions"
)

// codecs know the Go types of all kinds, how they are read and written, and which
// of their fields can be owned one by one. They are the
// runtime.NegotiatedSerializer of Kubernetes' handlers.
type codecs struct {
	scheme *runtime.Scheme
	media  []runtime.SerializerInfo // JSON, YAML, protobuf
	typed  managedfields.TypeConverter
	texts  *encodings
}

// codecsFor returns the codecs of Kubernetes' kinds and, if one of kinds is not
// among these, of that one.
func codecsFor(kinds []kinds.Kind) *codecs {
	scheme := versions.Scheme
	for _, kind := range kinds {
		if versions.Scheme.Recognizes(kind.GroupVersionKind) {
			continue
		}
		if scheme == versions.Scheme {
			scheme = versions.New()
		}
		scheme.AddKnownTypeWithName(kind.GroupVersionKind, kind.New())
	}
	return &codecs{
		scheme: scheme,
		media:  serializer.NewCodecFactory(scheme).SupportedMediaTypes(),
		typed:  fieldTypes(),
		texts:  newEncodings(encodingsBudget),
	}
}

// fieldTypes reads the schemas of all of Kubernetes' kinds, once, for it takes
// a while.
var fieldTypes = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(clientscheme.Scheme)
})

// SupportedMediaTypes implements runtime.NegotiatedSerializer.
func (k *codecs) SupportedMediaTypes() []runtime.SerializerInfo { return k.media }

// DecoderToVersion implements runtime.NegotiatedSerializer. An object is stored in
// the version in which it is read: what is filled in are its defaults.
func (k *codecs) DecoderToVersion(
	decoder runtime.Decoder, version runtime.GroupVersioner,
) runtime.Decoder {
	return lenient{versioning.NewCodec(nil, decoder, runtime.UnsafeObjectConvertor(k.scheme),
		k.scheme, k.scheme, defaulter(rules.Decoded), nil, version, k.scheme.Name())}
}

// lenient lets the handlers refuse an object whose version is not served: where
// its decoder fails, it returns the version that the object names.
type lenient struct{ runtime.Decoder }

// Decode implements runtime.Decoder.
func (d lenient) Decode(
	text []byte, want *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, is, err := d.Decoder.Decode(text, want, into)
	if err != nil && obj == nil && is != nil && want != nil && !runtime.IsNotRegisteredError(err) &&
		is.GroupKind() == want.GroupKind() && *is != *want {
		return into, is, nil
	}
	return obj, is, err
}

// EncoderForVersion implements runtime.NegotiatedSerializer. An object is written as
// it is, since it is stored in the version that is served.
func (k *codecs) EncoderForVersion(to runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return encoder{to, k}
}

// encoder writes objects without changing them, and the text of an object of the
// store once for all who want it in JSON.
type encoder struct {
	runtime.Encoder
	*codecs
}

// Encode implements runtime.Encoder.
func (e encoder) Encode(obj runtime.Object, w io.Writer) error {
	if e.Encoder == e.media[0].Serializer {
		switch obj := obj.(type) {
		case shared:
			text, err := e.texts.asJSON(obj.Object)
			if err != nil {
				return err
			}
			return writeAll(w, text, newline)
		case *list:
			return e.texts.writeList(obj, w)
		}
	}
	switch o := obj.(type) {
	case shared:
		obj = o.Object
	case *list:
		obj = e.listOf(o)
	}
	e.sayKind(obj)
	return e.Encoder.Encode(obj, w)
}

// sayKind makes an object say of which kind it is, if it does not.
func (e encoder) sayKind(obj runtime.Object) {
	if about := obj.GetObjectKind(); about.GroupVersionKind().Empty() {
		if kinds, _, err := e.scheme.ObjectKinds(obj); err == nil {
			about.SetGroupVersionKind(kinds[0])
		}
	}
}

// listOf returns a list as its kind's own type, which protobuf needs. A kind that
// is not Kubernetes' has none.
func (e encoder) listOf(l *list) runtime.Object {
	typed, err := e.scheme.New(l.GroupVersionKind())
	if err != nil {
		return l
	}
	var items []runtime.Object
	for _, item := range l.Items {
		items = append(items, item)
	}
	about, err := meta.ListAccessor(typed)
	if err == nil {
		err = meta.SetList(typed, items)
	}
	if err == nil { // the list says of which kind all are
		err = meta.EachListItem(typed, func(item runtime.Object) error {
			item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
			return nil
		})
	}
	if err != nil {
		panic(err) // Kubernetes' lists have items and metadata
	}
	about.SetResourceVersion(l.ResourceVersion)
	about.SetContinue(l.Continue)
	about.SetRemainingItemCount(l.RemainingItemCount)
	return typed
}

// list is a list of objects of any kind, as every XList of Kubernetes' is written.
type list struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
	Items           []controlloop.Object `json:"items"`
	made            bool                 // of what is in the store, for this list
}

// DeepCopyObject implements runtime.Object.
func (l *list) DeepCopyObject() runtime.Object {
	copied := &list{l.TypeMeta, *l.ListMeta.DeepCopy(), nil, l.made}
	for _, item := range l.Items {
		copied.Items = append(copied.Items, controlloop.Copy(item))
	}
	return copied
}
