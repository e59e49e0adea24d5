package rollingupdate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// A farewell is the end of one Pod while its Service is asked, as
// figures/farewell.svg has it. Time begins when the Pod is told to end.
type farewell struct {
	Listed   time.Duration   `json:"listed"` // its slice says that it is not ready
	Bent     time.Duration   `json:"bent"`   // the table does not have it any more
	Gone     time.Duration   `json:"gone"`
	Answered []time.Duration `json:"answered"` // by any Pod
	Lost     []time.Duration `json:"lost"`
}

// A table is what the proxy has from an instant on.
type table struct {
	at   time.Duration
	pods []string
}

// tables has the proxy's table written down from now on.
func (c traffic) tables() (written func() []table) {
	var all []table
	c.proxy.Tell = func(_ controlloop.Key, _ string, ports map[int32][]string) error {
		all = append(all, table{c.Elapsed(), ports[80]})
		return nil
	}
	return func() []table { return all }
}

// farewellOf returns that of the first Pod to be told to end, with the answers
// from half a second before it until two and a half after it.
func farewellOf(
	t *testing.T, writes []kubetest.Write, tables []table, all rollingupdate.Answers, began time.Duration,
) *farewell {
	t.Helper()
	told := slices.IndexFunc(writes, func(w kubetest.Write) bool {
		pod, ok := w.Object.(*corev1.Pod)
		return ok && pod.DeletionTimestamp != nil
	})
	require.Positive(t, told)
	pod, start := writes[told].Object.(*corev1.Pod), writes[told].At
	isReady := func(e discoveryv1.Endpoint) bool {
		return slices.Contains(e.Addresses, pod.Status.PodIP) && *e.Conditions.Ready
	}
	first := func(of func(w kubetest.Write) bool) time.Duration {
		i := slices.IndexFunc(writes[told:], of)
		require.GreaterOrEqual(t, i, 0)
		return writes[told+i].At - start
	}
	f := &farewell{
		Lost: []time.Duration{},
		Listed: first(func(w kubetest.Write) bool {
			slice, ok := w.Object.(*discoveryv1.EndpointSlice)
			return ok && !slices.ContainsFunc(slice.Endpoints, isReady)
		}),
		Gone: first(func(w kubetest.Write) bool {
			return w.Type == watch.Deleted && w.Object.GetUID() == pod.UID
		}),
	}
	bent := slices.IndexFunc(tables, func(one table) bool {
		return one.at >= start && !slices.Contains(one.pods, pod.Status.PodIP+":80")
	})
	require.GreaterOrEqual(t, bent, 0)
	f.Bent = tables[bent].at - start
	from := start - began - 500*time.Millisecond
	for _, answer := range within(all, from, from+3*time.Second) {
		at := answer.At + began - start
		if answer.Err != nil {
			f.Lost = append(f.Lost, at)
		} else {
			f.Answered = append(f.Answered, at)
		}
	}
	return f
}
