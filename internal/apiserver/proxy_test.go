package apiserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/streams"
)

// ports are Pods whose port 8080 is that of a server of the test.
type ports struct {
	streams.Containers
	address string
}

func (p ports) Dial(
	ctx context.Context, pod *corev1.Pod, port int32,
) (net.Conn, error) {
	if port != 8080 {
		return nil, errors.New("connect: connection refused")
	}
	return new(net.Dialer).DialContext(ctx, "tcp", p.address)
}

// anEcho serves a Pod "web" with an address, which repeats its requests.
func anEcho(t *testing.T) (*api, streams.Containers) {
	echo := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, r.Method, " ", r.URL, " ", string(body),
				r.Header.Get("Authorization"))
		}))
	t.Cleanup(echo.Close)
	reached := ports{address: strings.TrimPrefix(echo.URL, "http://")}
	a := newAPIWith(t, apiserver.Options{Containers: reached})
	pod := aPod("web")
	pod.Spec.NodeName = "node-1"
	pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080}}
	made := a.post(pods, pod).pod()
	made.Status.PodIP = "10.244.1.1"
	_, err := a.store.UpdateStatus(t.Context(), made)
	require.NoError(t, err)
	return a, reached
}

func TestAProxyOfAServiceHandsTheRequestToAReadyPod(t *testing.T) {
	a, _ := anEcho(t)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "front"},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{
			{Name: "http", Port: 80}, {Name: "admin", Port: 81},
		}},
	}
	services := "/api/v1/namespaces/default/services"
	require.Equal(t, http.StatusCreated, a.post(services, service).code)
	asks := func(path string) answer {
		return a.send(request{method: "GET", path: services + "/" + path,
			accept: "text/html", header: http.Header{}})
	}
	refused := asks("front:http/proxy/x")
	assert.Equal(t, http.StatusServiceUnavailable, refused.code)
	assert.Equal(t, `no endpoints available for service "front:http"`, refused.refusal().Message)

	to := func(pod string, ready bool) discoveryv1.Endpoint {
		return discoveryv1.Endpoint{
			Addresses: []string{"10.244.1.1"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod, Namespace: "default"},
		}
	}
	_, err := a.store.Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "front-1", Namespace: "default",
			Labels: map[string]string{discoveryv1.LabelServiceName: "front"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
		Endpoints:   []discoveryv1.Endpoint{to("gone", false), to("web", true)},
	})
	require.NoError(t, err)
	for _, path := range []string{"front:http/proxy/x", "front:80/proxy/x", "http:front:80/proxy/x"} {
		for range 5 {
			got := asks(path)
			assert.Equal(t, http.StatusTeapot, got.code, got.body)
			assert.Equal(t, "GET /x", strings.TrimSpace(got.body), path)
		}
	}
	for path, want := range map[string]string{
		"front:admin/proxy/": `no endpoints available for service "front:admin"`,
		"front/proxy/":       `no endpoints available for service "front"`,
		"front:82/proxy/":    `no service port 82 found for service "front"`,
		"none/proxy/":        `no endpoints available for service "none"`,
		"a:b:c:d/proxy/":     `invalid service request "a:b:c:d"`,
	} {
		assert.Equal(t, want, asks(path).refusal().Message)
	}
}

func TestAProxyHandsAnyRequestToThePod(t *testing.T) {
	a, _ := anEcho(t)
	for _, test := range []struct{ method, path, want string }{
		{"GET", "web/proxy/", "GET /"},
		{"GET", "web:8080/proxy/a/b/?c=d", "GET /a/b/?c=d"},
		{"GET", "http:web:8080/proxy/a//b", "GET /a//b"},
		{"POST", "web/proxy/x", "POST /x sent"},
		{"PUT", "web/proxy/x", "PUT /x sent"},
		{"PATCH", "web/proxy", "PATCH / sent"},
		{"DELETE", "web/proxy/x", "DELETE /x sent"},
		{"OPTIONS", "web/proxy/x", "OPTIONS /x sent"},
	} {
		body := "sent"
		if test.method == "GET" {
			body = ""
		}
		got := a.send(request{
			method: test.method, path: pods + "/" + test.path, body: body,
			accept: "text/html", header: http.Header{},
		})
		assert.Equal(t, http.StatusTeapot, got.code, got.body)
		assert.Equal(t, test.want, strings.TrimSpace(got.body), test.path)
	}
	got := a.get(pods + "/web/proxy?a=b")
	assert.Equal(t, http.StatusMovedPermanently, got.code)
	assert.Equal(t, pods+"/web/proxy/?a=b", got.header.Get("Location"))
}

func TestAProxyThatReachesNothingSaysSo(t *testing.T) {
	a, _ := anEcho(t)
	a.post(pods, aPod("new"))
	for path, want := range map[string]struct {
		code    int
		message string
	}{
		"web:81/proxy/":       {503, "error trying to reach service: connect: connection refused"},
		"new/proxy/":          {400, "address not allowed"},
		"no/proxy/":           {404, `pods "no" not found`},
		"ftp:web:8080/proxy/": {400, `invalid pod request "ftp:web:8080"`},
		"web/binding/x":       {404, "the server could not find the requested resource"},
	} {
		got := a.get(pods + "/" + path)
		assert.Equal(t, want.code, got.code, path)
		assert.Equal(t, want.message, got.refusal().Message, path)
	}
	nothingRuns := newAPI(t)
	nothingRuns.post(pods, aPod("web"))
	got := nothingRuns.get(pods + "/web/proxy/")
	assert.Equal(t, http.StatusNotImplemented, got.code)
}

func TestAPodBehindAProxyDoesNotLearnTheToken(t *testing.T) {
	a, reached := anEcho(t)
	a.handler = apiserver.New(a.store, apiserver.Options{
		Token: "secret", Containers: reached,
	})
	got := a.send(request{
		method: http.MethodGet, path: pods + "/web/proxy/",
		header: http.Header{"Authorization": {"Bearer secret"}},
	})
	assert.Equal(t, "GET / ", got.body)
}
