package apiserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"reconcile/internal/apiserver/kinds"
)

// codecs know the Go types of all kinds, how they are written, and which of
// their fields can be owned one by one.
type codecs struct {
	scheme *runtime.Scheme
	inputs []runtime.SerializerInfo // JSON, YAML, protobuf
	typed  managedfields.TypeConverter
}

// codecsFor returns the codecs of client-go or, if one of the kinds is not
// among Kubernetes' own, codecs that also know that one.
func codecsFor(kinds []kinds.Kind) codecs {
	scheme := clientscheme.Scheme
	for _, kind := range kinds {
		if clientscheme.Scheme.Recognizes(kind.GroupVersionKind) {
			continue
		}
		if scheme == clientscheme.Scheme {
			scheme = runtime.NewScheme()
			clientscheme.AddToScheme(scheme)
		}
		scheme.AddKnownTypeWithName(kind.GroupVersionKind, kind.New())
	}
	return codecs{
		scheme: scheme,
		inputs: serializer.NewCodecFactory(scheme).SupportedMediaTypes(),
		typed:  fieldTypes(),
	}
}

// fieldTypes reads the schemas of all of Kubernetes' kinds, once, for it takes
// a while.
var fieldTypes = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(clientscheme.Scheme)
})
