package daemonset_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// areEnough reports whether as many Pods as are wanted are there, ready, and of a
// revision.
func areEnough(set *appsv1.StatefulSet, revision string, pods []*corev1.Pod) bool {
	var ready, updated int
	for _, pod := range pods {
		if controlloop.IsReady(pod) {
			ready++
		}
		if pod.Labels[appsv1.ControllerRevisionHashLabelKey] == revision {
			updated++
		}
	}
	want := int(*set.Spec.Replicas)
	return len(pods) == want && ready == want && updated == want
}

// counting is Revised, for which an update is complete when there are enough.
type counting struct{ daemonset.Revised }

func (c counting) Versions(
	ctx context.Context, set *appsv1.StatefulSet, pods []*corev1.Pod,
) (statefulset.Versions, error) {
	v, err := c.Revised.Versions(ctx, set, pods)
	if areEnough(set, v.Update.Revision, pods) {
		v.Current = v.Update
	}
	return v, err
}

func newCounting(s *controlloop.System) *controlloop.Controller {
	return statefulset.NewStatefulSetsWith(s, storage.NewDisks(s),
		counting{daemonset.Revised{History: daemonset.HistoryOfStatefulSets(s)}})
}

// What holds a set's partition, and what does not: one that counts, before it
// makes Pods; the chapter's controller; and Kubernetes', as judges/stories has
// recorded it, which counts when it has made them.
func TestRunOfASetThatShrinksWhileItsFirstPodIsAway(t *testing.T) {
	steps := []struct {
		name string
		do   func(c *kubetest.Cluster)
	}{
		{"edit v2", func(c *kubetest.Cluster) { editSet(c, ofVersion("v2")) }},
		{"delete web-0, scale to 2", func(c *kubetest.Cluster) {
			deleteByHand(c, "web-0")
			editSet(c, ofReplicas(2))
		}},
		{"delete web-0", func(c *kubetest.Cluster) { deleteByHand(c, "web-0") }},
		{"scale to 3", func(c *kubetest.Cluster) { editSet(c, ofReplicas(3)) }},
		{"partition 0", func(c *kubetest.Cluster) { editSet(c, rollsBy(0, "")) }},
	}
	by := func(controller kubetest.Controller) (states []string) {
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{
				Kinds: revised.Kinds, Controllers: []kubetest.Controller{controller},
			})
			kubetest.Create(c, aSet(3, rollsBy(1, "")))
			restSets(c)
			for _, step := range steps {
				step.do(c)
				restSets(c)
				current, _, _ := strings.Cut(betweenVersions(c), " ")
				states = append(states, fmt.Sprintf("%s, %s is current", setPods(c), current))
			}
		})
		return states
	}
	ours, kubernetes := by(daemonset.NewStatefulSets), kubernetesOn(t, "rollout-by-partition-shrunk-while-the-first-is-away")
	require.Len(t, kubernetes, len(steps))
	var both, counted bytes.Buffer
	for i, step := range steps {
		fmt.Fprintf(&both, "%-25s ours: %-25s Kubernetes: %s\n", step.name, ours[i], kubernetes[i])
	}
	kubetest.Recorded(t, "../exercises/6i.txt", both.Bytes())
	for i, state := range by(newCounting)[:2] {
		fmt.Fprintf(&counted, "%-25s %s\n", steps[i].name, state)
	}
	kubetest.Recorded(t, "counted.txt", counted.Bytes())
}

var (
	ofPod      = regexp.MustCompile(`(?m)^  web-\d web:(\w+), the set's`)
	ofRevision = regexp.MustCompile(`(?m)^  \d+: \S+ web:(\w+), current`)
)

// kubernetesOn returns what there is after each step of a story but the first, as
// Kubernetes' own controller has left it.
func kubernetesOn(t *testing.T, story string) (states []string) {
	t.Helper()
	text, err := os.ReadFile("../../judges/stories/testdata/rollout/" + story + ".txt")
	require.NoError(t, err)
	for _, step := range strings.Split(string(text), "\n> ")[2:] {
		var pods []string
		for _, pod := range ofPod.FindAllStringSubmatch(step, -1) {
			pods = append(pods, pod[1])
		}
		current := ofRevision.FindStringSubmatch(step)
		require.Len(t, current, 2, step)
		states = append(states, fmt.Sprintf("%s, %s is current", strings.Join(pods, " "), current[1]))
	}
	return states
}
