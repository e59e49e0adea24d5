package lab_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

func TestThePodsOfANodeThatIsDeletedGoAndAreReplaced(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.create(three("default"))
		f.delete(nodeKind, "", "node-2")
		time.Sleep(39 * time.Second)
		synctest.Wait()
		assert.Len(t, f.on("node-2"), 1, "it may come back")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Empty(t, f.on("node-2"))
		assert.Len(t, f.on("node-1"), 3)
	})
}

func (f fixture) on(node string) (pods []*corev1.Pod) {
	for _, p := range f.pods("default") {
		if p.Spec.NodeName == node {
			pods = append(pods, p)
		}
	}
	return pods
}

func TestAPodOnANodeThatIsNotThereGoesAndSaysWhy(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := pod("default", "lost")
		p.Spec.NodeName = "nosuchnode"
		p.Finalizers = []string{"example.com/look"} // to see it go
		f.create(p)
		f.delete(controlloop.PodKind, "default", "lost")
		time.Sleep(time.Minute)
		synctest.Wait()
		left := f.pods("default")
		require.Len(t, left, 1)
		assert.Equal(t, corev1.PodFailed, left[0].Status.Phase)
		assert.Contains(t, left[0].Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists",
			LastTransitionTime: left[0].Status.Conditions[len(left[0].Status.Conditions)-1].LastTransitionTime,
			ObservedGeneration: left[0].Status.Conditions[len(left[0].Status.Conditions)-1].ObservedGeneration,
		})
		gone := controlloop.Copy(left[0])
		gone.Finalizers = nil
		f.update(gone)
		assert.Empty(t, f.pods("default"))
	})
}

func TestANodeThatComesBackInTimeKeepsItsPods(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(pod("default", "web"))
		node := f.node("node-1")
		f.delete(nodeKind, "", "node-1")
		time.Sleep(30 * time.Second)
		node.ResourceVersion, node.UID = "", ""
		f.create(node)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, f.on("node-1"), 1)
	})
}
