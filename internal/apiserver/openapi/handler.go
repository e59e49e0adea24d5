package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/cached"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"

	"reconcile/internal/apiserver/kinds"
)

// Handler returns a handler of /openapi/v3 and below, as JSON or protobuf, with
// a hash in each address so that clients need not ask again. Documents are made
// when the first client asks. /openapi/v2 is there for older clients.
func Handler(all []kinds.Kind) http.Handler {
	service := handler3.NewOpenAPIService()
	served := map[string]*spec3.OpenAPI{}
	for gv, of := range byVersion(all) {
		path, doc := pathOf(gv), &spec3.OpenAPI{}
		served[path] = doc
		service.UpdateGroupVersionLazy(path, cached.Once(cached.Func(
			func() (*spec3.OpenAPI, string, error) {
				*doc = *document(gv, of)
				return doc, gv.String(), nil
			})))
	}
	// The addresses want the hashes of all documents. The service keeps each for good,
	// and never reads it again once its JSON is made: one after the other is made and
	// emptied, since together they are most of what a page's heap would hold.
	emptied := sync.OnceFunc(func() {
		for path, doc := range served {
			service.HandleGroupVersion(nobody{}, &http.Request{
				Header: http.Header{}, URL: &url.URL{Path: "/openapi/v3/" + path},
			})
			*doc = spec3.OpenAPI{}
		}
	})
	legacy := newLegacy(all)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, _ := strings.CutPrefix(r.URL.Path, "/openapi/v3")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
				"the server does not allow this method on the requested resource")
		case r.URL.Path == "/openapi/v2":
			legacy.ServeHTTP(w, r)
		case r.URL.Path == "/openapi/v3":
			emptied()
			service.HandleDiscovery(w, r)
		case served[strings.TrimPrefix(path, "/")] != nil:
			service.HandleGroupVersion(w, r)
		default:
			refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound,
				"the server could not find the requested resource")
		}
	})
}

// nobody is written to where an answer is made for what it leaves behind.
type nobody struct{}

func (nobody) Header() http.Header         { return http.Header{} }
func (nobody) Write(p []byte) (int, error) { return len(p), nil }
func (nobody) WriteHeader(int)             {}

func byVersion(all []kinds.Kind) map[schema.GroupVersion][]kinds.Kind {
	versions := map[schema.GroupVersion][]kinds.Kind{}
	for _, kind := range all {
		gv := kind.GroupVersion()
		versions[gv] = append(versions[gv], kind)
	}
	return versions
}

// pathOf returns where a group and version lives: "api/v1", "apis/apps/v1".
func pathOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // a client that does not listen has gone
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  message,
		Reason:   reason,
		Details:  &metav1.StatusDetails{},
		Code:     int32(code),
	})
}
