package rollingupdate_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// resizings returns an invariant that always holds, and says each change of a
// ReplicaSet's size: "v1 4 -> 3".
func resizings(say func(change string)) kubetest.Invariant {
	return func(w kubetest.Write, _ []kubetest.Write) error {
		rs, ok := w.Object.(*appsv1.ReplicaSet)
		if !ok {
			return nil
		}
		was := int32(0)
		if w.Old != nil {
			was = *w.Old.(*appsv1.ReplicaSet).Spec.Replicas
		}
		if was != *rs.Spec.Replicas {
			say(fmt.Sprintf("v%s  %d -> %d", revision(rs), was, *rs.Spec.Replicas))
		}
		return nil
	}
}

// An update of four, and a second thought in its middle. Exercise 3d asks how
// the sizes change.
func TestRunOfASecondThought(t *testing.T) {
	var log bytes.Buffer
	setup := rolled()
	setup.Invariants = []kubetest.Invariant{
		resizings(func(change string) { fmt.Fprintln(&log, change) }),
	}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("1", "1")))
		c.Advance(10 * time.Second)
		log.Reset()
		edit(c, "web", image("web:v2"))
		c.Advance(time.Second)
		fmt.Fprintln(&log, "# one second later, before a Pod of v2 is ready: v3")
		edit(c, "web", image("web:v3"))
		c.Advance(time.Minute)
		kubetest.Recorded(t, "../exercises/3d.txt", log.Bytes())
	})
}

// An update of four, and in its middle a user wants five.
//
//book:exercise 3j
func TestRunOfAnUpdateThatIsResized(t *testing.T) {
	var log bytes.Buffer
	var c *kubetest.Cluster
	say := func(what string) { fmt.Fprintf(&log, "%7s  %s\n", c.Elapsed(), what) }
	setup := rolled()
	setup.Invariants = []kubetest.Invariant{resizings(say)}
	synctest.Test(t, func(t *testing.T) {
		c = kubetest.New(t, setup)
		kubetest.Create(c, web("web", 4, bounds("1", "0")))
		c.Advance(10 * time.Second)
		say("somebody edits the template")
		edit(c, "web", image("web:v2"))
		c.Advance(8 * time.Second)
		say("somebody wants five")
		edit(c, "web", sized(5))
		c.Advance(5 * time.Minute)
		say(fmt.Sprintf("ReplicaSets: %s; ready: %v", sizes(c), ready(c)))
		kubetest.Recorded(t, "resized.txt", log.Bytes())
	})
}

//book:exercise 3j
func TestAnUpdateGoesOnAfterItWasResized(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("1", "0")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(8 * time.Second)
		require.Equal(t, "1:3 2:2", sizes(c))
		edit(c, "web", sized(5))
		c.Advance(2 * time.Minute)
		assert.Equal(t, "1:0 2:5", sizes(c))
		assert.Equal(t, map[string]int{"web:v2": 5}, ready(c))
	})
}

// The ReplicaSet of v2 keeps its share, and has to note the new size. That is refused
// until nothing else happens that could wake the controller.
//
//book:exercise 3j
func TestANoteOfTheSizeThatIsRefusedIsTriedAgain(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("1", "0")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(8 * time.Second)
		edit(c, "web", paused(true))
		c.Advance(time.Minute)
		second := sets(c)[1].Name
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Key.Name == second {
				return errors.New("not now")
			}
			return nil
		})
		edit(c, "web", sized(5))
		c.Advance(20 * time.Second)
		c.Client.Fail(nil)
		c.Advance(time.Minute)
		require.Equal(t, "1:4 2:2", sizes(c))
		for _, rs := range sets(c) {
			assert.Equal(t, "5", rs.Annotations[rollingupdate.DesiredReplicasAnnotation],
				"the size that revision %s notes, a minute after the last time that it was refused", revision(rs))
		}
	})
}

// The sizes of a Deployment that is paused are looked at each time, and written
// when they differ.
func TestAnUpdateThatIsPausedAndResizedWritesEachSizeOnce(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("1", "0")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(8 * time.Second)
		edit(c, "web", paused(true))
		edit(c, "web", sized(5))
		c.Advance(time.Minute)
		require.Equal(t, map[string]int{"web:v1": 4, "web:v2": 2}, ready(c))
		c.AssertQuiet(0)
	})
}
