package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/httpserve"
)

// metrics are what Prometheus is told. Names that Kubernetes has are Kubernetes'.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	results   *prometheus.CounterVec
	durations *prometheus.HistogramVec
	leads     *prometheus.GaugeVec
	depth     *depths
	watchdog  *leaderelection.HealthzAdaptor
	health    []check
	readiness []check
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lab_requests_total",
			Help: "Requests to the API server, by their answer's code; 0 is none.",
		}, []string{"verb", "kind", "code"}),
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lab_reconcile_total", Help: "Keys that were reconciled.",
		}, []string{"controller", "result"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "lab_reconcile_duration_seconds", Help: "How long that took.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
		}, []string{"controller"}),
		leads: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "leader_election_master_status",
			Help: "Whether this copy holds the lease.",
		}, []string{"name"}),
		depth: &depths{queues: map[string]controlloop.RetryQueue[controlloop.Key]{}},
		// A copy that holds the lease and cannot renew it is not well.
		watchdog: leaderelection.NewLeaderHealthzAdaptor(20 * time.Second),
	}
	m.readiness = append(m.readiness, m.watchdog.Check)
	m.registry.MustRegister(m.requests, m.results, m.durations, m.leads, m.depth)
	return m
}

// serve answers on an address until ctx ends.
func (m *metrics) serve(ctx context.Context, address string, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("metrics and health: %w; give another --listen", err)
	}
	go httpserve.Serve(ctx, httpserve.Patient(listener, func(err error) { log.Warn(err.Error()) }), m.handler())
	log.Info("metrics and health", "address", listener.Addr().String())
	return nil
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /healthz", answering(&m.health))
	mux.Handle("GET /readyz", answering(&m.readiness))
	return mux
}

// asked counts a request.
func (m *metrics) asked(verb, kind string, err error) {
	code := http.StatusOK
	if err != nil {
		code = 0
		var status apierrors.APIStatus
		if errors.As(err, &status) {
			code = int(status.Status().Code)
		}
	}
	m.requests.WithLabelValues(verb, kind, strconv.Itoa(code)).Inc()
}

func (m *metrics) lead(lease string, leads bool) {
	value := 0.0
	if leads {
		value = 1
	}
	m.leads.WithLabelValues(lease).Set(value)
}

// observe counts what a controller does, and logs its errors.
func (m *manager) observe(name string, c *controlloop.Controller) {
	m.metrics.depth.add(name, c.Queue)
	c.Reconciler = measured{c.Reconciler, name, m.metrics}
	c.OnError = func(key controlloop.Key, err error) {
		level := slog.LevelWarn
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			level = slog.LevelDebug // a cache was late
		}
		m.Log.Log(context.Background(), level, "trying again", "controller", name,
			"key", key.String(), "error", err)
	}
}

// measured is a Reconciler that is watched.
type measured struct {
	controlloop.Reconciler
	name    string
	metrics *metrics
}

// Reconcile implements controlloop.Reconciler.
func (m measured) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	start := time.Now()
	result, err := m.Reconciler.Reconcile(ctx, key)
	m.metrics.durations.WithLabelValues(m.name).Observe(time.Since(start).Seconds())
	outcome := "success"
	if err != nil {
		outcome = "error"
	}
	m.metrics.results.WithLabelValues(m.name, outcome).Inc()
	return result, err
}
