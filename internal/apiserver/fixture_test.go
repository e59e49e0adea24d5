package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
)

// api is an API server over a store, asked without a network.
type api struct {
	t       testing.TB
	store   *controlloop.Store
	handler http.Handler
}

// newAPI returns one with the namespaces default and other.
func newAPI(t testing.TB, opts ...controlloop.Option) *api {
	return newAPIWith(t, apiserver.Options{}, opts...)
}

func newAPIWith(
	t testing.TB, options apiserver.Options, opts ...controlloop.Option,
) *api {
	all := kinds.All()
	store := controlloop.NewStore(kinds.Store(all), opts...)
	for _, name := range []string{"default", "other"} {
		_, err := store.Create(context.Background(), &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name},
		})
		require.NoError(t, err)
	}
	options.Kinds = all
	return &api{t, store, apiserver.New(store, options)}
}

// config serves the API on loopback, and returns client-go's configuration for
// it.
func (a *api) config() *rest.Config {
	server := httptest.NewServer(a.handler)
	a.t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, QPS: -1, UserAgent: "test/1.0"}
}

// request is one to be sent; a body that is no string or []byte is sent as JSON.
type request struct {
	method, path string
	body         any
	contentType  string // "": application/json
	accept       string
	header       http.Header
}

// answer is what came back.
type answer struct {
	t      testing.TB
	code   int
	header http.Header
	body   string
}

func (a *api) send(r request) answer {
	a.t.Helper()
	recorder := httptest.NewRecorder()
	a.handler.ServeHTTP(recorder, r.http(a.t))
	return answer{a.t, recorder.Code, recorder.Header(), recorder.Body.String()}
}

func (r request) http(t testing.TB) *http.Request {
	var body []byte
	switch b := r.body.(type) {
	case nil:
	case string:
		body = []byte(b)
	case []byte:
		body = b
	default:
		var err error
		body, err = json.Marshal(b)
		require.NoError(t, err)
	}
	req := httptest.NewRequest(r.method, r.path, bytes.NewReader(body))
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	req.Header.Set("Content-Type", "application/json")
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	return req
}

func (a *api) get(path string) answer {
	a.t.Helper()
	return a.send(request{method: http.MethodGet, path: path})
}

func (a *api) post(path string, body any) answer {
	a.t.Helper()
	return a.send(request{method: http.MethodPost, path: path, body: body})
}

func (a *api) put(path string, body any) answer {
	a.t.Helper()
	return a.send(request{method: http.MethodPut, path: path, body: body})
}

func (a *api) delete(path string, body any) answer {
	a.t.Helper()
	return a.send(request{method: http.MethodDelete, path: path, body: body})
}

const (
	merge     = "application/merge-patch+json"
	jsonPatch = "application/json-patch+json"
	strategic = "application/strategic-merge-patch+json"
	apply     = "application/apply-patch+yaml"
)

func (a *api) patch(path, contentType string, body any) answer {
	a.t.Helper()
	return a.send(request{
		method: http.MethodPatch, path: path, body: body, contentType: contentType,
	})
}

// into reads the answer, which must have that code.
func into[T any](want int, got answer) T {
	got.t.Helper()
	require.Equal(got.t, want, got.code, got.body)
	var object T
	require.NoError(got.t, json.Unmarshal([]byte(got.body), &object), got.body)
	return object
}

func (a answer) pod() *corev1.Pod {
	a.t.Helper()
	if a.code == http.StatusCreated {
		return into[*corev1.Pod](http.StatusCreated, a)
	}
	return into[*corev1.Pod](http.StatusOK, a)
}

// refusal returns the Status with which a request was refused.
func (a answer) refusal() metav1.Status {
	a.t.Helper()
	status := into[metav1.Status](a.code, a)
	require.Equal(a.t, "Status", status.Kind, a.body)
	require.Equal(a.t, metav1.StatusFailure, status.Status, a.body)
	require.EqualValues(a.t, a.code, status.Code, a.body)
	return status
}

const pods = "/api/v1/namespaces/default/pods"

// aPod returns one that is valid, as a user would send it.
func aPod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
}

// aDeployment returns one that is valid, as YAML.
func aDeployment(name string) string {
	return strings.ReplaceAll(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers: [{name: web, image: "nginx:1.27"}]
`, "NAME", name)
}

const deployments = "/apis/apps/v1/namespaces/default/deployments"
