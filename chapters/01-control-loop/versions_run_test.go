package controlloop_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// Nine writes to three kinds, and the events that a watch of one of them
// delivers.
func TestRunOfTheVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newTranscript()
		var last controlloop.Write
		store := newStore(controlloop.OnWrite(func(w controlloop.Write) { last = w }))
		pods := &wire{Store: store, who: "           the watch of Pods", log: log}
		w, err := pods.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		log.cut(0)
		written := func(what string) {
			time.Sleep(time.Second)
			log.sayf("version %s  %s", last.Object.GetResourceVersion(), what)
			_, _, err := w.TryNext()
			require.NoError(t, err)
		}
		counted := func(rc *corev1.ReplicationController, pods, ready int32) *corev1.ReplicationController {
			rc = edited(rc, func(rc *corev1.ReplicationController) {
				rc.Status.Replicas, rc.Status.ReadyReplicas = pods, ready
			})
			rc = mustUpdateStatus(t, store, rc)
			written(fmt.Sprintf("ReplicationController web: there %d, ready %d", pods, ready))
			return rc
		}
		labelled := func(node *corev1.Node, key, value string) *corev1.Node {
			node = mustUpdate(t, store, edited(node, func(n *corev1.Node) { n.Labels[key] = value }))
			written("Node node-1 is labelled " + key + "=" + value)
			return node
		}

		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{}}}
		node = mustCreate(t, store, node)
		written("Node node-1 is created")
		rc := mustCreate(t, store, kubetest.ReplicationController("web", 2))
		written("ReplicationController web is created")
		node = labelled(node, "disk", "ssd")
		pod := mustCreate(t, store, nginxPod("web-0"))
		written("Pod web-0 is created")
		rc = counted(rc, 1, 0)
		labelled(node, "room", "12")
		mustUpdateStatus(t, store, edited(pod, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }))
		written("Pod web-0 has failed")
		counted(rc, 0, 0)
		require.NoError(t, store.Delete(t.Context(), controlloop.PodKind, kubetest.Named("web-0"),
			metav1.DeleteOptions{}))
		written("Pod web-0 is deleted")
		kubetest.Recorded(t, "versions.txt", log.Bytes())
	})
}
