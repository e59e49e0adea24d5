package rollingupdate_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// The sizes that ReplicaSets get in the middle of an update when their
// Deployment is given another size.
func TestRunOfTheShares(t *testing.T) {
	var out bytes.Buffer
	for _, story := range []struct {
		part      string
		was, most int // the Pods allowed before, and now
		d         *appsv1.Deployment
		sizes     []int32
	}{
		{"two", 13, 33, size(30, "3"), []int32{8, 5}},
		{"three", 10, 11, size(11, "0"), []int32{4, 3, 3}},
	} {
		fmt.Fprintf(&out, "# part: %s\n", story.part)
		fmt.Fprintf(&out, "at most %4d %7d\n", story.was, story.most)
		sets := were(story.was, story.sizes...)
		got := rollingupdate.Shares(story.d, sets)
		fmt.Fprintf(&out, "%-7s %4s %7s %8s %5s\n", "", "was", "due", "rounded", "gets")
		var was, rounded, gets int32
		for i, n := range story.sizes {
			due := float64(n) * float64(story.most) / float64(story.was)
			fmt.Fprintf(&out, "%-7s %4d %7.1f %8.0f %5d\n", sets[i].Name, n, due, due, got[i])
			was, gets = was+n, gets+got[i]
			rounded += int32(due + 0.5)
		}
		fmt.Fprintf(&out, "%-7s %4d %7d %8d %5d\n", "all", was, story.most, rounded, gets)
		slices.Reverse(sets)
		again := rollingupdate.Shares(story.d, sets)
		slices.Reverse(again)
		fmt.Fprintf(&out, "listed the other way round: %v\n", again)
	}
	kubetest.Recorded(t, "shares.txt", out.Bytes())
}

// oldestFirst takes so many Pods away, the oldest ReplicaSet's first.
func oldestFirst(old []*appsv1.ReplicaSet, n int32) (left []int32) {
	for _, rs := range old {
		goes := min(max(n, 0), *rs.Spec.Replicas)
		n -= goes
		left = append(left, *rs.Spec.Replicas-goes)
	}
	return left
}

// Ten are wanted, and eight must be left: the Pods that go when an update that
// does not come up is replaced by another.
func TestRunOfTheBudget(t *testing.T) {
	const atLeast = 8
	v1, v2, v3 := set("v1", 8, 8), set("v2", 5, 0), set("v3", 0, 0)
	old := []*appsv1.ReplicaSet{v1, v2}
	available := v1.Status.AvailableReplicas + v2.Status.AvailableReplicas
	byAge := oldestFirst(old, *v1.Spec.Replicas+*v2.Spec.Replicas-atLeast)
	byCount := oldestFirst(old, available-atLeast)

	var out bytes.Buffer
	fmt.Fprintf(&out, "%-28s %4s %4s %7s %13s\n",
		"10 wanted, 8 of them serving", "v1", "v2", "serving", "room for v3")
	for _, look := range []struct {
		what string
		left []int32
	}{
		{"before", []int32{8, 5}},
		{"the oldest first", byAge},
		{"only what serves too many", byCount},
		{"shrink", rollingupdate.Shrink(v3, old, atLeast)},
	} {
		room := 13 - look.left[0] - look.left[1]
		fmt.Fprintf(&out, "%-28s %4d %4d %7d %13d\n",
			look.what, look.left[0], look.left[1], look.left[0], room)
	}
	kubetest.Recorded(t, "budget.txt", out.Bytes())
}
