package manager

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	controlloop "reconcile/chapters/01-control-loop"
)

// depths are how many keys wait. A copy that works again has other queues. It
// implements prometheus.Collector.
type depths struct {
	mu     sync.Mutex
	queues map[string]controlloop.RetryQueue[controlloop.Key]
}

var depth = prometheus.NewDesc(
	"workqueue_depth", "Keys that wait to be reconciled.", []string{"name"}, nil)

func (d *depths) add(name string, queue controlloop.RetryQueue[controlloop.Key]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queues[name] = queue
}

// Describe implements prometheus.Collector.
func (d *depths) Describe(all chan<- *prometheus.Desc) { all <- depth }

// Collect implements prometheus.Collector.
func (d *depths) Collect(all chan<- prometheus.Metric) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, queue := range d.queues {
		all <- prometheus.MustNewConstMetric(
			depth, prometheus.GaugeValue, float64(queue.Len()), name)
	}
}
