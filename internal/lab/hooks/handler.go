package hooks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/events"
)

// handle runs one hook. Its error says why it has failed (Kubernetes:
// pkg/kubelet/lifecycle/handlers.go); that may tell secrets, so no event has it.
func (r *Runtime) handle(
	ctx context.Context, c *container, h *corev1.LifecycleHandler,
) error {
	switch {
	case h.Exec != nil:
		out, code, err := r.Exec(ctx, c.pod.UID, c.spec.Name, h.Exec.Command)
		if err == nil && code != 0 {
			err = fmt.Errorf("command '%s' exited with %d: %s",
				strings.Join(h.Exec.Command, " "), code, out)
		}
		if err != nil {
			err = fmt.Errorf("Exec lifecycle hook (%v) for %s - error: %w, message: %q",
				h.Exec.Command, c.failed(), err, out)
		}
		return err
	case h.HTTPGet != nil:
		err := r.get(ctx, c, h.HTTPGet)
		if err != nil {
			err = fmt.Errorf("HTTP lifecycle hook (%s) for %s - error: %w",
				h.HTTPGet.Path, c.failed(), err)
		}
		return err
	case h.Sleep != nil:
		select {
		case <-time.After(time.Duration(h.Sleep.Seconds) * time.Second):
			return nil
		case <-ctx.Done():
			return fmt.Errorf("Sleep lifecycle hook (%d) for %s - error: "+
				"container terminated before sleep hook finished",
				h.Sleep.Seconds, c.failed())
		}
	}
	return errors.New("Cannot run handler: invalid handler") // a tcpSocket: kept for the sake of old manifests
}

// failed names a container whose hook has failed.
func (c *container) failed() string {
	return fmt.Sprintf("Container %q in Pod \"%s_%s(%s)\" failed",
		c.spec.Name, c.pod.Name, c.pod.Namespace, c.pod.UID)
}

// get asks for a path of the container's own Pod. Any answer will do.
func (r *Runtime) get(ctx context.Context, c *container, get *corev1.HTTPGetAction) error {
	sandbox, err := r.Sandbox(ctx, c.pod)
	if err != nil {
		return err
	}
	port := int32(get.Port.IntValue())
	for _, p := range c.spec.Ports {
		if p.Name != "" && p.Name == get.Port.StrVal {
			port = p.ContainerPort
		}
	}
	transport := &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return r.Dial(ctx, c.pod.UID, port)
		},
	}
	scheme := "http"
	if get.Scheme == corev1.URISchemeHTTPS {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf(
		"%s://%s:%d/%s", scheme, sandbox.IP, port, strings.TrimPrefix(get.Path, "/")), nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kube-lifecycle/1.37")
	for _, h := range get.HTTPHeaders {
		request.Header.Add(h.Name, h.Value)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// recordEvent records an event about a container.
func (r *Runtime) recordEvent(c *container, eventtype, reason, message string) {
	r.recorder.Eventf(events.OfContainer(c.pod, c.spec.Name), eventtype, reason, "%s", message)
}
