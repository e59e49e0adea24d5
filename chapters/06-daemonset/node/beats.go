package node

import (
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// beats are the last signs of life of all nodes. It counts when we heard
// of them: the clock of a node may be wrong, and ours only has to go on.
//
// Of five thousand nodes there are five hundred beats a second. Each is noted
// here, and wakes no controller: a node is looked at when its time is over,
// which is once a minute and not six times.
type beats struct {
	mu   sync.Mutex
	last map[string]beat
}

type beat struct {
	at      time.Time    // by our clock
	renewed time.Time    // by the lease's
	said    *metav1.Time // by the Node's; nil: it has never reported
}

func newBeats() *beats { return &beats{last: map[string]beat{}} }

// lease notes when a lease was heard of, and reports whether it was renewed since
// the last time.
func (b *beats) lease(obj controlloop.Object) bool {
	lease := obj.(*coordinationv1.Lease)
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.last[lease.Name]
	if lease.Spec.RenewTime == nil ||
		!lease.Spec.RenewTime.After(last.renewed) {
		return false
	}
	last.at, last.renewed = time.Now(), lease.Spec.RenewTime.Time
	b.last[lease.Name] = last
	return true
}

// node notes what a Node says, if that is new. One that has never said anything
// is given time from its beginning on.
func (b *beats) node(obj controlloop.Object) {
	node := obj.(*corev1.Node)
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.last[node.Name]
	ready := nodeCondition(node, corev1.NodeReady)
	switch {
	case ready != nil && !last.said.Equal(&ready.LastHeartbeatTime):
		last.at, last.said = time.Now(), new(ready.LastHeartbeatTime)
	case last.at.IsZero():
		last.at = node.CreationTimestamp.Time
	}
	b.last[node.Name] = last
}

// gone forgets a node.
func (b *beats) gone(obj controlloop.Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.last, obj.GetName())
}

// forgive gives all nodes their time anew.
func (b *beats) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, last := range b.last {
		last.at = time.Now()
		b.last[name] = last
	}
}

// How long a node may be silent. (Kubernetes: pkg/controller/nodelifecycle/
// config/v1alpha1/defaults.go. Before 1.32 the first was 40 s, less than it
// takes to find out that a connection is dead.)
const (
	gracePeriod   = 50 * time.Second
	startupPeriod = 60 * time.Second // if it has never reported
)

// left returns for how long a node may still be silent; 0: its time is over.
func (b *beats) left(node *corev1.Node) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	grace := gracePeriod
	if Readiness(node) == "" {
		grace = startupPeriod
	}
	return max(0, time.Until(b.last[node.Name].at.Add(grace)))
}
