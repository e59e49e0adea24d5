package kubelet

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
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// probeKind says what question a probe asks.
type probeKind int

const (
	startup   probeKind = iota // has it come up? Until then no other is asked
	liveness                   // is it to be killed?
	readiness                  // is it to be given work?
)

// String returns the kind as events name it.
func (k probeKind) String() string {
	return [...]string{"Startup", "Liveness", "Readiness"}[k]
}

type probeKey struct {
	container string
	kind      probeKind
}

// probe holds what a kubelet knows from probing one attempt of a container.
type probe struct {
	attempt             int32 // the container's restart count
	successes, failures int32 // in a row
	passing             bool
	due                 time.Time
}

func specOf(c *corev1.Container, kind probeKind) *corev1.Probe {
	switch kind {
	case startup:
		return c.StartupProbe
	case liveness:
		return c.LivenessProbe
	}
	return c.ReadinessProbe
}

// probeAll runs the probes of a Pod that are due, and returns how
// long it is until the next.
func (k *Kubelet) probeAll(
	ctx context.Context, pod *corev1.Pod, m *memory,
) time.Duration {
	var next time.Duration
	actual := k.Runtime.Containers(pod.UID)
	for _, c := range lasting(pod) {
		if actual[c.Name].State.Running == nil {
			continue
		}
		for _, kind := range []probeKind{startup, liveness, readiness} {
			if specOf(c, kind) == nil {
				continue
			}
			next = controlloop.Sooner(next,
				k.probe(ctx, pod, c, kind, actual[c.Name], m))
			if !m.passing(c, startup, actual[c.Name].RestartCount) {
				break
			}
		}
	}
	return next
}

// probe runs one probe, if it is due, and returns how long it is until it is
// due next.
func (k *Kubelet) probe(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container, kind probeKind,
	status corev1.ContainerStatus, m *memory,
) time.Duration {
	spec := specOf(c, kind)
	key := probeKey{c.Name, kind}
	p := m.probes[key]
	if p == nil || p.attempt != status.RestartCount {
		// No program answers in the instant in which it is started.
		delay := time.Duration(max(1, spec.InitialDelaySeconds)) * time.Second
		p = &probe{
			attempt: status.RestartCount,
			passing: kind == liveness,
			due:     status.State.Running.StartedAt.Add(delay),
		}
		m.probes[key] = p
	}
	if kind == startup && p.passing {
		return 0 // asked and answered
	}
	if !time.Now().Before(p.due) {
		err := k.check(ctx, pod, c, spec)
		if err != nil {
			k.note(pod, c.Name, corev1.EventTypeWarning, "Unhealthy",
				"%s probe failed: %v", kind, err)
		}
		p.observe(err == nil, spec)
		p.due = time.Now().Add(time.Duration(spec.PeriodSeconds) * time.Second)
	}
	return max(1, time.Until(p.due)) // 0 would mean never
}

// check asks once. It returns what speaks against the container, or nil.
func (k *Kubelet) check(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container, spec *corev1.Probe,
) error {
	timeout := time.Duration(spec.TimeoutSeconds) * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case spec.Exec != nil:
		out, code, err := k.Runtime.Exec(ctx, pod.UID, c.Name, spec.Exec.Command)
		if err == nil && code != 0 {
			err = errors.New(out)
		}
		return err
	case spec.HTTPGet != nil:
		return k.httpGet(ctx, pod, c, spec.HTTPGet)
	case spec.TCPSocket != nil:
		conn, err := k.Runtime.Dial(ctx, pod.UID, portOf(c, spec.TCPSocket.Port))
		if err != nil {
			return err
		}
		return conn.Close()
	case spec.GRPC != nil:
		return errors.New("this lab has no gRPC")
	}
	return errors.New("missing probe handler")
}

// httpGet succeeds on a status from 200 to 399. It follows no redirect, and
// believes any certificate.
func (k *Kubelet) httpGet(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	get *corev1.HTTPGetAction,
) error {
	port := portOf(c, get.Port)
	transport := &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return k.Runtime.Dial(ctx, pod.UID, port)
		},
	}
	url := fmt.Sprintf("%s://%s:%d%s", strings.ToLower(string(get.Scheme)),
		pod.Status.PodIP, port, get.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kube-probe/1.37")
	for _, h := range get.HTTPHeaders {
		request.Header.Add(h.Name, h.Value)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("Get %q: %w", url, err)
	}
	response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf(
			"HTTP probe failed with statuscode: %d", response.StatusCode)
	}
	return nil
}

// portOf returns the number of a port that is given by number or by name.
func portOf(c *corev1.Container, port intstr.IntOrString) int32 {
	for _, p := range c.Ports {
		if port.Type == intstr.String && p.Name == port.StrVal {
			return p.ContainerPort
		}
	}
	return int32(port.IntValue())
}
