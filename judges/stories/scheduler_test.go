package stories

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

var cases = flag.Int("cases", 2_000, "how many worlds of each topic a scheduler is put before")

var firstSeed = flag.Uint64("seed", 1, "of the first of these worlds")

// A scheduler's verdict on each node, its comparison of those that take the Pod,
// the Pods it sends away, and its words to people: the same as Kubernetes', in
// worlds that no user would think of.
func TestSchedulersAgree(t *testing.T) {
	for name, topic := range topics {
		t.Run(name, func(t *testing.T) {
			theirs, seen := newKubeScheduler(t), tally{}
			differ := func(w *world) string {
				a, b := byTheBook(w), theirs.place(t, w)
				seen.add(&b)
				return a.differs(&b)
			}
			left := 3 // differences, then it is enough
			for i := 0; i < *cases && left > 0; i++ {
				seed := *firstSeed + uint64(i)
				w := newWorld(seed, topic)
				if differ(w) != "" {
					w = w.shrunk(differ)
					t.Errorf("seed %d: %s\n%s", seed, differ(w), w)
					left--
				}
			}
			t.Logf("%+v", seen)
		})
	}
}

// tally counts the chances to differ.
type tally struct{ placed, refused, sentAway, nodesRefused, scoresDiffer int }

func (t *tally) add(p *placement) {
	if len(p.best) > 0 {
		t.placed++
	} else {
		t.refused++
	}
	if len(p.victims) > 0 {
		t.sentAway++
	}
	for _, said := range p.said {
		if said.no != "" {
			t.nodesRefused++
		}
	}
	for _, score := range plugins.Scores() {
		if points, _ := p.pointsOf(score.Name); !areAlike(points) {
			t.scoresDiffer++
		}
	}
}

// A Pod that names its node waits for no scheduler, but its kubelet asks the same
// filters.
func TestFiltersAgreeOnPodsThatNameTheirNode(t *testing.T) {
	theirs, d := newKubeScheduler(t), newDice(*firstSeed)
	all := topic{taints: 20, affinity: 20, ports: 20, resources: 20}
	for i := range *cases {
		w := newWorld(*firstSeed+uint64(i), all)
		if namesNodes(w.pod) {
			continue // Kubernetes' scheduler would say both in one sentence; a kubelet does not
		}
		w.pod.Spec.NodeName = pick(d, w.nodes...).Name
		theirs.loadWorld(t, w)
		c := plugins.NewCycle(cache.NewNodes(w.nodes, w.pods), w.pod)
		state := framework.NewCycleState()
		_, status, _ := theirs.profile.RunPreFilterPlugins(t.Context(), state, w.pod)
		for _, node := range c.List() {
			info, err := theirs.seen.Get(node.Name)
			require.NoError(t, err)
			said := status
			if said.IsSuccess() {
				said = theirs.profile.RunFilterPlugins(t.Context(), state, w.pod, info)
			}
			ours := answer{}
			if r := c.Refusal(node); r != nil {
				ours = refused(r.Filter, r.Reasons, r.Final)
			}
			other := answer{}
			if !said.IsSuccess() {
				other = refused(said.Plugin(), said.Reasons(),
					said.Code() == fwk.UnschedulableAndUnresolvable)
			}
			require.Equal(t, other.no, ours.no, "seed %d, %s\n%s", *firstSeed+uint64(i), node.Name, w)
		}
	}
}
