package openapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"reconcile/internal/apiserver/kinds"
)

// legacyTypes are the media types of version 2 in protobuf: the one that
// clients ask for, and the one that the answer names (kube-openapi,
// pkg/handler).
const (
	legacyAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	legacyTold  = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

// legacy serves /openapi/v2: the schemas of all kinds, by which older clients explain
// and validate, and no paths. Both forms are made when the first client asks for one.
type legacy struct {
	text, protobuf func() ([]byte, error)
}

func newLegacy(all []kinds.Kind) *legacy {
	text := sync.OnceValues(func() ([]byte, error) { return json.Marshal(swagger(all)) })
	return &legacy{text, sync.OnceValues(func() ([]byte, error) {
		text, err := text()
		if err != nil {
			return nil, err
		}
		document, err := openapi_v2.ParseDocument(text)
		if err != nil {
			return nil, err
		}
		return proto.Marshal(document)
	})}
}

// ServeHTTP implements http.Handler.
func (l *legacy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form, media := l.text, "application/json"
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, legacyAsked) || strings.Contains(accept, legacyTold) {
		form, media = l.protobuf, legacyTold
	}
	content, err := form()
	if err != nil {
		panic(err) // it is made of the API's types, and of nothing that was sent
	}
	w.Header().Add("Vary", "Accept")
	w.Header().Set("Content-Type", media)
	w.Write(content)
}

// swagger returns the document of version 2.
func swagger(all []kinds.Kind) *spec.Swagger {
	schemas := newSchemas()
	versions := byVersion(all)
	for _, gv := range slices.SortedFunc(maps.Keys(versions), func(a, b schema.GroupVersion) int {
		return cmp.Compare(a.String(), b.String())
	}) {
		schemas.addVersion(gv, versions[gv])
	}
	definitions := spec.Definitions{}
	for name, schema := range schemas.all {
		definitions[name] = *older.WalkSchema(schema)
	}
	return &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger:     "2.0",
		Info:        &spec.Info{InfoProps: spec.InfoProps{Title: "Kubernetes", Version: "v1"}},
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Definitions: definitions,
	}}
}

// older reduces a schema to what version 2 allows: descriptions stand beside
// references, and a type is one word. It leaves defaults out, as Kubernetes does
// for kubectl's sake. (kube-openapi, PruneDefaults.)
var older = schemamutation.Walker{
	RefCallback: func(ref *spec.Ref) *spec.Ref {
		name, ok := strings.CutPrefix(ref.String(), "#/components/schemas/")
		if !ok {
			return ref
		}
		there := spec.MustCreateRef("#/definitions/" + name)
		return &there
	},
	SchemaCallback: func(schema *spec.Schema) *spec.Schema {
		next := *schema
		next.Default = nil
		if len(next.AllOf) == 1 {
			next.Ref, next.AllOf = next.AllOf[0].Ref, nil
		}
		if len(next.OneOf) > 0 {
			next.Type, next.OneOf = spec.StringOrArray{"string"}, nil
		}
		return &next
	},
}
