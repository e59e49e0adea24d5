package whole_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/internal/kubetest"
)

// Three, none, and three again, and meanwhile a disk is taken away: who waits for
// whom?
func TestRunOfThreeNoneThree(t *testing.T) {
	bringInBubble(t, bringManifest(t), func(b *brought) {
		b.until(5*time.Minute, "all are ready", func() bool { return b.areReady(3) })
		var log bytes.Buffer
		said := map[string]bool{}
		say := func(what string, pod string, uid types.UID) {
			if line := fmt.Sprintf("%-5s  %s\n", what, pod); !said[line+string(uid)] {
				said[line+string(uid)] = true
				log.WriteString(line)
			}
		}
		b.records.Lock()
		b.records.heard = func(w controlloop.Write) {
			switch pod := w.Object.(*corev1.Pod); {
			case w.Type == watch.Deleted:
				say("gone", pod.Name, pod.UID)
			case pod.DeletionTimestamp != nil:
				say("told", pod.Name, pod.UID)
			case kubetest.Ready(pod):
				say("ready", pod.Name, pod.UID)
			case w.Type == watch.Added:
				say("made", pod.Name, pod.UID)
			}
		}
		b.records.Unlock()
		b.sidecar.disk = func(p *simulated.Process, data folder.Folder) folder.Folder {
			b.records.Lock()
			defer b.records.Unlock()
			say("clone", p.Pod.Name, p.Pod.UID)
			return data
		}
		scale := func(replicas int32) {
			b.change(func(set *appsv1.StatefulSet) { set.Spec.Replicas = &replicas })
			time.Sleep(5 * time.Minute)
		}
		scale(0)
		exDelete(b, storage.ClaimKind, "data-mysql-1")
		time.Sleep(time.Minute)
		scale(3)
		b.records.Lock()
		defer b.records.Unlock()
		kubetest.Recorded(t, "../../exercises/7a.txt", log.Bytes())
	})
}
