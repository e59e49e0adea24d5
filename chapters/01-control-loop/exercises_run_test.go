package controlloop_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// One Pod of three gets another label. Exercise 1.8 asks for the consequences.
func TestRunOfALabelThatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		trace := func(s controlloop.Step) {
			lane := strings.TrimPrefix(s.Lane, "replication ")
			if lane == "replication" {
				lane = "worker"
			}
			fmt.Fprintf(&log, "%-9s  %s\n", lane, strings.ToLower(s.Action))
		}
		store := newStore(controlloop.WithTrace(trace))
		system := &controlloop.System{Client: store, Trace: trace}
		controlloop.NewReplication(system)
		mustCreate(t, store, webRC(3))
		settle(t, system)

		log.Reset()
		pods, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		require.Len(t, pods.Items, 3)
		mustUpdate(t, store, edited(pods.Items[1].(*corev1.Pod), func(p *corev1.Pod) {
			p.Labels["app"] = "other"
		}))
		settle(t, system)
		kubetest.Recorded(t, "../exercises/1.8.txt", log.Bytes())
	})
}
