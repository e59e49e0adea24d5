package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// rated is what a score gives to the nodes: "a 100, b 50".
func rated(
	score string, pod *corev1.Pod, machines []*corev1.Node, pods ...*corev1.Pod,
) string {
	all := cache.NewNodes(machines, pods)
	return ratedOf(score, plugins.NewCycle(all, pod), all.List())
}

func ratedOf(score string, c *scheduler.Cycle, nodes []*cache.Node) string {
	points := make([]int64, len(nodes))
	for _, s := range plugins.Scores() {
		if s.Name == score {
			s.Rate(c, nodes, points)
		}
	}
	var said []string
	for i, n := range nodes {
		said = append(said, fmt.Sprintf("%s %d", n.Name, points[i]))
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}

func TestTheShareThatIsLeftIsInHundredths(t *testing.T) {
	assert.Equal(t, int64(100), scheduler.LeastAllocated(0, 2000, 0, 4096), "all of both is left")
	assert.Equal(t, int64(75), scheduler.LeastAllocated(500, 2000, 1024, 4096), "three quarters of both")
	assert.Equal(t, int64(50), scheduler.LeastAllocated(0, 2000, 4096, 4096), "CPU, but no memory")
	assert.Equal(t, int64(25), scheduler.LeastAllocated(2000, 2000, 2048, 4096), "no CPU, and half of the memory")
	assert.Equal(t, int64(0), scheduler.LeastAllocated(2000, 2000, 4096, 4096), "nothing")
}

// Twice: each share, and then the average. 66 and 33 are 49.
func TestSharesAreRoundedDown(t *testing.T) {
	assert.Equal(t, int64(49), scheduler.LeastAllocated(1, 3, 2, 3), "66 and 33")
	assert.Equal(t, int64(66), scheduler.LeastAllocated(1, 3, 1, 3), "66 twice")
	assert.Equal(t, int64(82), scheduler.LeastAllocated(1, 3, 1, 1000), "66 and 99")
}

// A node that is overdrawn has nothing left, and not less than nothing.
func TestOfWhatIsOverdrawnNothingIsLeft(t *testing.T) {
	assert.Equal(t, int64(50), scheduler.LeastAllocated(5000, 2000, 0, 4096), "more CPU than there is")
	assert.Equal(t, int64(50), scheduler.LeastAllocated(0, 2000, 9000, 4096), "more memory than there is")
	assert.Equal(t, int64(0), scheduler.LeastAllocated(5000, 2000, 9000, 4096), "more of both")
}

func TestWhatANodeHasNoneOfDoesNotCount(t *testing.T) {
	assert.Equal(t, int64(75), scheduler.LeastAllocated(500, 2000, 700, 0), "it has no memory")
	assert.Equal(t, int64(75), scheduler.LeastAllocated(100, 0, 1024, 4096), "it has no CPU")
	assert.Equal(t, int64(0), scheduler.LeastAllocated(100, 0, 1024, 0), "it has neither")
	assert.Equal(t, int64(100), scheduler.LeastAllocated(0, 1, 0, 0), "a little is not none")
	assert.Equal(t, int64(100), scheduler.LeastAllocated(0, 0, 0, 1), "the same of memory")
}

// If it counted as nothing, all that say nothing would end on one node.
func TestAPodThatSaysNothingIsTakenToTakeSomething(t *testing.T) {
	two := nodes(server("a", having("cpu=1 memory=1000Mi pods=9")),
		server("b", having("cpu=1 memory=1000Mi pods=9")))
	assert.Equal(t, "a 70, b 85", rated("NodeResourcesFit", guest("p"), two,
		guest("q", placedOn("a"))))
}

// What it asks for as a whole counts once it is there, but not when it looks for
// a node: so Kubernetes has it.
func TestLookingForRoomOnlyContainersCount(t *testing.T) {
	two := nodes(server("a", having("cpu=1 memory=1000Mi pods=9")),
		server("b", having("cpu=1 memory=1000Mi pods=9")))
	assert.Equal(t, "a 85, b 85", rated("NodeResourcesFit",
		guest("p", asAWhole("cpu=500m memory=500Mi")), two))
	assert.Equal(t, "a 35, b 85", rated("NodeResourcesFit", guest("p"), two,
		guest("q", asAWhole("cpu=500m memory=500Mi"), placedOn("a"))))
}

func asAWhole(amounts string) podChange {
	return func(p *corev1.Pod) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: kubetest.Resources(amounts)}
	}
}

func TestBalanceIsWhatAPodImproves(t *testing.T) {
	two := nodes(server("a", having("cpu=4 memory=4Gi pods=9")),
		server("b", having("cpu=4 memory=4Gi pods=9")))
	cpuUsed := guest("q", placedOn("a"), requesting("cpu=2"))
	const balance = "NodeResourcesBalancedAllocation"
	assert.Equal(t, "a 87, b 62", rated(balance, guest("p", requesting("memory=2Gi")), two, cpuUsed))
	assert.Equal(t, "a 75, b 75",
		rated(balance, guest("p", requesting("cpu=1 memory=1Gi")), two, cpuUsed))
	assert.Equal(t, "a 0, b 0", rated(balance, guest("p"), two, cpuUsed))
}

func TestTaintsThatSayRatherNotAreCounted(t *testing.T) {
	three := nodes(server("a"), server("b", withTaint("x", rather)),
		server("c", withTaint("x", rather), withTaint("y", rather)))
	assert.Equal(t, "a 100, b 50, c 0", rated("TaintToleration", guest("p"), three))
	x := corev1.Toleration{Key: "x", Operator: exists}
	assert.Equal(t, "a 100, b 100, c 0",
		rated("TaintToleration", guest("p", withTolerations(x)), three))
	assert.Equal(t, "a 100", rated("TaintToleration", guest("p"), nodes(server("a"))))
}

func TestNodesAreRatedByTheTermsThatAreTrueOfThem(t *testing.T) {
	p := guest("p")
	prefer := func(weight int32, says requirement) corev1.PreferredSchedulingTerm {
		return corev1.PreferredSchedulingTerm{Weight: weight,
			Preference: nodeTerm{MatchExpressions: []requirement{says}}}
	}
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			prefer(30, rule("disk", in, "ssd")), prefer(10, rule("gpu", is)),
		},
	}}
	assert.Equal(t, "a 75, b 100, c 0, d 25", rated("NodeAffinity", p, nodes(
		server("a", withLabel("disk", "ssd")), server("b", withLabel("disk", "ssd"), withLabel("gpu", "")),
		server("c"), server("d", withLabel("gpu", "")))))
}

func withImage(name string, size int64) nodeChange {
	return func(n *corev1.Node) {
		n.Status.Images = append(n.Status.Images,
			corev1.ContainerImage{Names: []string{name}, SizeBytes: size})
	}
}

func TestAnImageCountsByItsSizeAndHowManyNodesHaveIt(t *testing.T) {
	const mb = 1 << 20
	p := guest("p")
	p.Spec.Containers[0].Image = "nginx"
	assert.Equal(t, "a 48, b 0", rated("ImageLocality", p,
		nodes(server("a", withImage("nginx:latest", 1000*mb)), server("b"))))
	assert.Equal(t, "a 100, b 100", rated("ImageLocality", p,
		nodes(server("a", withImage("nginx:latest", 1000*mb)),
			server("b", withImage("nginx:latest", 2000*mb)))))
	assert.Equal(t, "a 0", rated("ImageLocality", p,
		nodes(server("a", withImage("nginx:latest", 20*mb)))), "small ones are quickly had")
}

func TestTheLeastCrowdedDomainIsPreferred(t *testing.T) {
	anyway := func(c *corev1.TopologySpreadConstraint) { c.WhenUnsatisfiable = corev1.ScheduleAnyway }
	p := guest("p", app("web"), spreading(zoneKey, 1, anyway))
	assert.Equal(t, "a 25, b 25, c 100, d 0",
		rated("PodTopologySpread", p, fourNodes(), webs("a", "a", "b", "c")...))
	p = guest("p", app("web"), spreading(corev1.LabelHostname, 1, anyway))
	assert.Equal(t, "a 0, b 50, c 50, d 100",
		rated("PodTopologySpread", p, fourNodes(), webs("a", "a", "b", "c")...))
	assert.Equal(t, "a 100, b 100, c 100, d 100", rated("PodTopologySpread", p, fourNodes()))
	// Both: a 3·ln 4 + 2·ln 5 = 7, b 3·ln 4 + ln 5 = 6, c ln 4 + ln 5 = 3.
	p = guest("p", app("web"), spreading(zoneKey, 1, anyway), spreading(corev1.LabelHostname, 1, anyway))
	assert.Equal(t, "a 42, b 57, c 100, d 0",
		rated("PodTopologySpread", p, fourNodes(), webs("a", "a", "b", "c")...))
}

func TestThoseWhoAreWantedNearDrawAndOthersRepel(t *testing.T) {
	p := guest("p", app("cache"))
	rather := func(weight int32, who string) corev1.WeightedPodAffinityTerm {
		return corev1.WeightedPodAffinityTerm{Weight: weight,
			PodAffinityTerm: podTerm(zoneKey, labels("app", who))}
	}
	p.Spec.Affinity = &corev1.Affinity{
		PodAffinity: &corev1.PodAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{rather(10, "web")},
		},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{rather(10, "db")},
		},
	}
	db := guest("db", placedOn("c"))
	assert.Equal(t, "a 100, b 100, c 0, d 50",
		rated("InterPodAffinity", p, fourNodes(), webs("a")[0], db))
	follower := guest("f", app("f"), placedOn("c"), near(zoneKey, labels("app", "web")))
	assert.Equal(t, "a 0, b 0, c 100, d 0",
		rated("InterPodAffinity", guest("p", app("web")), fourNodes(), follower),
		"it must be near, and this one has the choice")
	assert.Equal(t, "a 0, b 0, c 0, d 0", rated("InterPodAffinity", guest("p"), fourNodes(), db))
	shy := guest("shy", placedOn("c"), inclined(-10, 5, "web"))
	assert.Equal(t, "a 100, b 100, c 0, d 100",
		rated("InterPodAffinity", guest("p", app("web")), fourNodes(), shy),
		"there is one that would rather be alone in its zone")
	fond := guest("fond", placedOn("c"), inclined(10, 5, "web"))
	assert.Equal(t, "a 0, b 0, c 100, d 0",
		rated("InterPodAffinity", guest("p", app("web")), fourNodes(), fond),
		"there is one that would rather have it near")
}

// inclined would rather have Pods of an app near, by their zone and by their host: below
// 0, not near.
func inclined(zone, host int32, who string) podChange {
	return func(p *corev1.Pod) {
		near, apart := &corev1.PodAffinity{}, &corev1.PodAntiAffinity{}
		for key, weight := range map[string]int32{zoneKey: zone, corev1.LabelHostname: host} {
			to := &near.PreferredDuringSchedulingIgnoredDuringExecution
			if weight < 0 {
				to = &apart.PreferredDuringSchedulingIgnoredDuringExecution
			}
			*to = append(*to, corev1.WeightedPodAffinityTerm{
				Weight: max(weight, -weight), PodAffinityTerm: podTerm(key, labels("app", who)),
			})
		}
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: near, PodAntiAffinity: apart}
	}
}
