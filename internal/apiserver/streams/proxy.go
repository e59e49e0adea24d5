package streams

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/proxy"
)

// Location is the target of a request in a Pod.
type Location struct {
	Scheme string // "": http
	Port   string // "": the first that a container names, or 80
	Path   string // "": the client is sent to "/"
}

// ServeProxy sends an HTTP request, of any method, to a port of a Pod, and its
// answer back (Kubernetes: pkg/registry/core/pod/rest, ProxyREST). Links in
// pages and in redirections are changed to lead here.
func ServeProxy(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
	to Location,
) error {
	if net.ParseIP(pod.Status.PodIP) == nil {
		return apierrors.NewBadRequest("address not allowed")
	}
	port, err := strconv.ParseUint(
		cmp.Or(to.Port, strconv.Itoa(int(firstPort(pod)))), 10, 16)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return c.Dial(ctx, pod, int32(port))
		},
	}
	location := &url.URL{
		Scheme: cmp.Or(to.Scheme, "http"),
		Host:   net.JoinHostPort(pod.Status.PodIP, strconv.FormatUint(port, 10)),
		Path:   to.Path,
	}
	proxy.NewUpgradeAwareHandler(location, transport, true, false, unreached{}).
		ServeHTTP(w, r)
	return nil
}

func firstPort(pod *corev1.Pod) int32 {
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			return port.ContainerPort
		}
	}
	return 80
}

// unreached answers where the Pod does not.
type unreached struct{}

// Error implements proxy.ErrorResponder.
func (unreached) Error(w http.ResponseWriter, _ *http.Request, err error) {
	refuse(w, err)
}
