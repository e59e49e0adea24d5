package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// answers is what each node says to a Pod: "a: yes; b: no, for good: Filter:
// reason".
func answers(pod *corev1.Pod, nodes []*corev1.Node, pods ...*corev1.Pod) string {
	all := cache.NewNodes(nodes, pods)
	c := plugins.NewCycle(all, pod)
	var said []string
	for _, n := range all.List() {
		said = append(said, n.Name+": "+answer(c.Refusal(n)))
	}
	return strings.Join(said, "; ")
}

func answer(r *scheduler.Refusal) string {
	if r == nil {
		return "yes"
	}
	forGood := ""
	if r.Final {
		forGood = "for good, "
	}
	return fmt.Sprintf("%sno, %s: %s", forGood, r.Filter, strings.Join(r.Reasons, ", "))
}

func nodes(all ...*corev1.Node) []*corev1.Node { return all }

func withTolerations(all ...corev1.Toleration) podChange {
	return func(p *corev1.Pod) { p.Spec.Tolerations = all }
}

func TestANodeThatIsCordonedTakesOnlyWhoToleratesIt(t *testing.T) {
	closed := nodes(server("a", unschedulable))
	assert.Equal(t, "a: for good, no, NodeUnschedulable: node(s) were unschedulable",
		answers(guest("p"), closed))
	assert.Equal(t, "a: yes", answers(guest("p", withTolerations(corev1.Toleration{
		Key: corev1.TaintNodeUnschedulable, Operator: exists, Effect: noSchedule})), closed))
}

func TestOnlySomeTaintsKeepPodsAway(t *testing.T) {
	for effect, want := range map[corev1.TaintEffect]string{
		noSchedule: "a: for good, no, TaintToleration: node(s) had untolerated taint(s)",
		noExecute:  "a: for good, no, TaintToleration: node(s) had untolerated taint(s)",
		rather:     "a: yes",
	} {
		assert.Equal(t, want, answers(guest("p"), nodes(server("a", withTaint("x", effect)))))
	}
	both := nodes(server("a", withTaint("x", noSchedule), withTaint("y", noSchedule)))
	x, y := corev1.Toleration{Key: "x", Operator: exists}, corev1.Toleration{Key: "y", Operator: exists}
	assert.Contains(t, answers(guest("p", withTolerations(x)), both), "no")
	assert.Equal(t, "a: yes", answers(guest("p", withTolerations(x, y)), both))
}

func TestTheFirstFilterThatRefusesIsTheOneThatSpeaks(t *testing.T) {
	n := server("a", unschedulable, withTaint("x", noSchedule), having("cpu=0 pods=0"))
	assert.Equal(t, "a: for good, no, NodeUnschedulable: node(s) were unschedulable",
		answers(guest("p", requesting("cpu=1")), nodes(n)))
}

func TestANodeThatWasNotNamedRefuses(t *testing.T) {
	assert.Equal(t, "a: for good, no, NodeName: node(s) didn't match the requested node name; b: yes",
		answers(guest("p", placedOn("b")), nodes(server("a"), server("b"))))
}

func TestWhatIsMissingIsNamedAllOfIt(t *testing.T) {
	small := nodes(server("a", having("cpu=2 memory=2Gi ephemeral-storage=1Gi pods=2 example.com/gpu=1")))
	used := guest("q", placedOn("a"), requesting("cpu=1 memory=1Gi example.com/gpu=1"))
	for wants, want := range map[string]string{
		"cpu=1 memory=1Gi":    "a: yes",
		"cpu=1001m":           "a: no, NodeResourcesFit: Insufficient cpu",
		"cpu=2001m":           "a: for good, no, NodeResourcesFit: Insufficient cpu",
		"cpu=2 memory=2Gi":    "a: no, NodeResourcesFit: Insufficient cpu, Insufficient memory",
		"example.com/gpu=1":   "a: no, NodeResourcesFit: Insufficient example.com/gpu",
		"example.com/fpga=1":  "a: for good, no, NodeResourcesFit: Insufficient example.com/fpga",
		"hugepages-2Mi=2Mi":   "a: for good, no, NodeResourcesFit: Insufficient hugepages-2Mi",
		"ephemeral-storage=2": "a: yes",
		"ephemeral-storage=2Gi": "a: for good, no, NodeResourcesFit: " +
			"Insufficient ephemeral-storage",
		"": "a: yes",
	} {
		assert.Equal(t, want, answers(guest("p", requesting(wants)), small, used), wants)
	}
	full := guest("r", placedOn("a"))
	assert.Equal(t, "a: no, NodeResourcesFit: Too many pods",
		answers(guest("p"), small, used, full))
}

// Who asks for nothing of what is overdrawn gets on.
func TestAPodWithoutRequestsFitsOnANodeThatIsOverdrawn(t *testing.T) {
	n := nodes(server("a", having("cpu=1 memory=1Gi pods=9")))
	greedy := guest("q", placedOn("a"), requesting("cpu=3"))
	assert.Equal(t, "a: yes", answers(guest("p", requesting("memory=1Gi")), n, greedy))
	assert.Equal(t, "a: no, NodeResourcesFit: Insufficient cpu",
		answers(guest("p", requesting("cpu=1m")), n, greedy))
}

func TestWhatHasEndedTakesNothing(t *testing.T) {
	ended := guest("q", placedOn("a"), requesting("cpu=4"))
	ended.Status.Phase = corev1.PodSucceeded
	assert.Equal(t, "a: yes", answers(guest("p", requesting("cpu=4")), nodes(server("a")), ended))
}

func hostPort(ip string, protocol corev1.Protocol, port int32) podChange {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports,
			corev1.ContainerPort{HostIP: ip, Protocol: protocol, HostPort: port})
	}
}

func TestAPortOfANodeIsOpenedOnce(t *testing.T) {
	const no = "a: no, NodePorts: node(s) didn't have free ports for the requested pod ports"
	tcp, udp := corev1.ProtocolTCP, corev1.ProtocolUDP
	for name, given := range map[string]struct {
		open, wants podChange
		want        string
	}{
		"the same":                   {hostPort("", tcp, 80), hostPort("", tcp, 80), no},
		"another port":               {hostPort("", tcp, 80), hostPort("", tcp, 81), "a: yes"},
		"another protocol":           {hostPort("", tcp, 80), hostPort("", udp, 80), "a: yes"},
		"no protocol is TCP":         {hostPort("", tcp, 80), hostPort("", "", 80), no},
		"two addresses":              {hostPort("10.0.0.1", tcp, 80), hostPort("10.0.0.2", tcp, 80), "a: yes"},
		"all addresses have one":     {hostPort("10.0.0.1", tcp, 80), hostPort("0.0.0.0", tcp, 80), no},
		"one is of all":              {hostPort("", tcp, 80), hostPort("10.0.0.1", tcp, 80), no},
		"none of the node's at all":  {hostPort("", tcp, 80), hostPort("", tcp, 0), "a: yes"},
		"the second of those wanted": {hostPort("", tcp, 81), both(hostPort("", tcp, 80), hostPort("", tcp, 81)), no},
	} {
		assert.Equal(t, given.want, answers(guest("p", given.wants),
			nodes(server("a")), guest("q", placedOn("a"), given.open)), name)
	}
}

func both(changes ...podChange) podChange {
	return func(p *corev1.Pod) {
		for _, change := range changes {
			change(p)
		}
	}
}

// An init container's port is free again when the others start; a sidecar's is
// not.
func TestASidecarKeepsItsPort(t *testing.T) {
	withInit := guest("q", placedOn("a"))
	withInit.Spec.InitContainers = []corev1.Container{{Name: "init", Ports: []corev1.ContainerPort{{HostPort: 80}}}}
	wants := guest("p", hostPort("", corev1.ProtocolTCP, 80))
	assert.Equal(t, "a: yes", answers(wants, nodes(server("a")), withInit))
	withInit.Spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	assert.Contains(t, answers(wants, nodes(server("a")), withInit), "NodePorts")
}

// spreading wants Pods of the app to be spread.
func spreading(key string, skew int32, changes ...func(*corev1.TopologySpreadConstraint)) podChange {
	return func(p *corev1.Pod) {
		next := corev1.TopologySpreadConstraint{
			TopologyKey: key, MaxSkew: skew, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
		}
		for _, change := range changes {
			change(&next)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, next)
	}
}

const zoneKey = corev1.LabelTopologyZone

// fourNodes are a and b in zone 1, c in zone 2, d in none.
func fourNodes() []*corev1.Node {
	return nodes(server("a", inZone("1")), server("b", inZone("1")),
		server("c", inZone("2")), server("d"))
}

// taken says which nodes take a Pod.
func taken(pod *corev1.Pod, nodes []*corev1.Node, pods ...*corev1.Pod) string {
	var names []string
	for _, said := range strings.Split(answers(pod, nodes, pods...), "; ") {
		if name, yes := strings.CutSuffix(said, ": yes"); yes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func webs(where ...string) (pods []*corev1.Pod) {
	for i, node := range where {
		pods = append(pods, guest(fmt.Sprint("web-", i), app("web"), placedOn(node)))
	}
	return pods
}

func TestNoDomainHasManyMoreThanTheEmptiest(t *testing.T) {
	web := guest("p", app("web"), spreading(zoneKey, 1))
	assert.Equal(t, "a b c", taken(web, fourNodes()))
	assert.Equal(t, "c", taken(web, fourNodes(), webs("a")...))
	assert.Equal(t, "a b c", taken(web, fourNodes(), webs("a", "c")...))
	wide := guest("p", app("web"), spreading(zoneKey, 2))
	assert.Equal(t, "a b c", taken(wide, fourNodes(), webs("a")...))
	assert.Equal(t, "c", taken(wide, fourNodes(), webs("a", "b")...))
	said := answers(web, fourNodes(), webs("a")...)
	assert.Contains(t, said, "a: no, PodTopologySpread: node(s) didn't match pod topology spread constraints;")
	assert.Contains(t, said, "d: for good, no, PodTopologySpread: "+
		"node(s) didn't match pod topology spread constraints (missing required label)")
}

func TestWhoIsLeavingOrElsewhereIsNotCounted(t *testing.T) {
	web := guest("p", app("web"), spreading(zoneKey, 1))
	others := webs("a", "a", "a", "a")
	others[0].DeletionTimestamp = &metav1.Time{}
	others[1].Namespace = "other"
	others[2].Labels = nil
	others[3].Status.Phase = corev1.PodFailed
	assert.Equal(t, "a b c", taken(web, fourNodes(), others...))
}

func TestWithFewerDomainsThanAskedForTheEmptiestHasNone(t *testing.T) {
	ask := func(n int32) func(*corev1.TopologySpreadConstraint) {
		return func(c *corev1.TopologySpreadConstraint) { c.MinDomains = &n }
	}
	web := guest("p", app("web"), spreading(zoneKey, 1, ask(3)))
	assert.Equal(t, "a b c", taken(web, fourNodes()))
	assert.Equal(t, "", taken(web, fourNodes(), webs("a", "c")...))
	assert.Equal(t, "a b c",
		taken(guest("p", app("web"), spreading(zoneKey, 1, ask(2))), fourNodes(), webs("a", "c")...))
}

func TestNodesWhereThePodCannotBeDoNotCountUnlessItSaysSo(t *testing.T) {
	ignore, honor := corev1.NodeInclusionPolicyIgnore, corev1.NodeInclusionPolicyHonor
	all := nodes(server("a", inZone("1"), withLabel("disk", "ssd")), server("c", inZone("2")))
	web := guest("p", app("web"), selecting("disk", "ssd"), spreading(zoneKey, 1))
	assert.Equal(t, "a", taken(web, all, webs("a")...), "zone 2 is nothing to it")
	web = guest("p", app("web"), selecting("disk", "ssd"), spreading(zoneKey, 1,
		func(c *corev1.TopologySpreadConstraint) { c.NodeAffinityPolicy = &ignore }))
	assert.Equal(t, "", taken(web, all, webs("a")...), "zone 2 is empty, and there it cannot go")

	all = nodes(server("a", inZone("1")), server("c", inZone("2"), withTaint("x", noSchedule)))
	assert.Equal(t, "", taken(guest("p", app("web"), spreading(zoneKey, 1)), all, webs("a")...))
	web = guest("p", app("web"), spreading(zoneKey, 1,
		func(c *corev1.TopologySpreadConstraint) { c.NodeTaintsPolicy = &honor }))
	assert.Equal(t, "a", taken(web, all, webs("a")...))
}

func TestOnlyTheSameVersionIsItsLike(t *testing.T) {
	version := func(v string) podChange { return func(p *corev1.Pod) { p.Labels["version"] = v } }
	byVersion := spreading(zoneKey, 1, func(c *corev1.TopologySpreadConstraint) {
		c.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		c.MatchLabelKeys = []string{"version"}
	})
	old := guest("q", app("web"), version("1"), placedOn("a"))
	assert.Equal(t, "a b c", taken(guest("p", app("web"), version("2"), byVersion), fourNodes(), old))
	assert.Equal(t, "c", taken(guest("p", app("web"), version("1"), byVersion), fourNodes(), old))
}

func near(key string, who map[string]string, changes ...func(*corev1.PodAffinityTerm)) podChange {
	return func(p *corev1.Pod) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &corev1.Affinity{}
		}
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				podTerm(key, who, changes...)},
		}
	}
}

func apart(key string, who map[string]string, changes ...func(*corev1.PodAffinityTerm)) podChange {
	return func(p *corev1.Pod) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &corev1.Affinity{}
		}
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				podTerm(key, who, changes...)},
		}
	}
}

func podTerm(
	key string, who map[string]string, changes ...func(*corev1.PodAffinityTerm),
) corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{
		TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: who},
	}
	for _, change := range changes {
		change(&term)
	}
	return term
}

func labels(key, value string) map[string]string { return map[string]string{key: value} }

func TestAPodGoesWhereThoseAreThatItWantsNear(t *testing.T) {
	p := guest("p", app("cache"), near(zoneKey, labels("app", "web")))
	assert.Equal(t, "a b", taken(p, fourNodes(), webs("a")...))
	assert.Equal(t, "", taken(p, fourNodes()))
	assert.Contains(t, answers(p, fourNodes()),
		"a: for good, no, InterPodAffinity: node(s) didn't match pod affinity rules")
	other := webs("a")
	other[0].Namespace = "other"
	assert.Equal(t, "", taken(p, fourNodes(), other...), "a term is about its own namespace")
	p = guest("p", near(zoneKey, labels("app", "web"), func(t *corev1.PodAffinityTerm) {
		t.Namespaces = []string{"other"}
	}))
	assert.Equal(t, "a b", taken(p, fourNodes(), other...))
	p = guest("p", near(zoneKey, labels("app", "web"), func(t *corev1.PodAffinityTerm) {
		t.NamespaceSelector = &metav1.LabelSelector{}
	}))
	assert.Equal(t, "a b", taken(p, fourNodes(), other...), "an empty selector is all namespaces")
}

// All would wait for the first, and the first for one of them.
func TestTheFirstOfAGroupMayGoAnywhereInADomain(t *testing.T) {
	p := guest("p", app("web"), near(zoneKey, labels("app", "web")))
	assert.Equal(t, "a b c", taken(p, fourNodes()))
	assert.Equal(t, "c", taken(p, fourNodes(), webs("c")...))
}

func TestAPodStaysAwayFromThoseItDoesNotWant(t *testing.T) {
	p := guest("p", app("cache"), apart(zoneKey, labels("app", "web")))
	assert.Equal(t, "a b c d", taken(p, fourNodes()))
	assert.Equal(t, "c d", taken(p, fourNodes(), webs("a")...))
	assert.Contains(t, answers(p, fourNodes(), webs("a")...),
		"a: no, InterPodAffinity: node(s) didn't match pod anti-affinity rules")
	p = guest("p", app("cache"), apart(corev1.LabelHostname, labels("app", "web")))
	assert.Equal(t, "b c d", taken(p, fourNodes(), webs("a")...))
}

// It is not asked, and it is right.
func TestAPodStaysAwayFromThoseThatDoNotWantIt(t *testing.T) {
	shy := guest("shy", app("shy"), apart(zoneKey, labels("app", "web")), placedOn("a"))
	p := guest("p", app("web"))
	assert.Equal(t, "c d", taken(p, fourNodes(), shy))
	assert.Contains(t, answers(p, fourNodes(), shy),
		"a: no, InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules")
	assert.Equal(t, "a b c d", taken(guest("p", app("db")), fourNodes(), shy))
}

func TestAffinityKnowsVersionsByTheirKeys(t *testing.T) {
	keys := func(t *corev1.PodAffinityTerm) { t.MatchLabelKeys = []string{"version"} }
	others := func(t *corev1.PodAffinityTerm) { t.MismatchLabelKeys = []string{"version"} }
	one := func(p *corev1.Pod) { p.Labels["version"] = "1" }
	two := func(p *corev1.Pod) { p.Labels["version"] = "2" }
	old := guest("q", app("web"), one, placedOn("a"))
	assert.Equal(t, "a b c d", taken(guest("p", app("web"), two,
		apart(zoneKey, labels("app", "web"), keys)), fourNodes(), old))
	assert.Equal(t, "c d", taken(guest("p", app("web"), two,
		apart(zoneKey, labels("app", "web"), others)), fourNodes(), old))
}

func TestAKubeletLooksAtLessThanAScheduler(t *testing.T) {
	full := server("a", having("cpu=1 memory=1Gi pods=2"))
	other := guest("q", requesting("cpu=600m"))
	for name, given := range map[string]struct {
		pod             *corev1.Pod
		node            *corev1.Node
		reason, message string
	}{
		"fits": {guest("p"), full, "", ""},
		"cpu": {guest("p", requesting("cpu=500m")), full, "OutOfcpu",
			"Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000"},
		"memory": {guest("p", requesting("memory=2Gi")), full, "OutOfmemory",
			"Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824"},
		"pods": {guest("p"), server("a", having("pods=1")), "OutOfpods",
			"Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1"},
		"devices it knows": {guest("p", requesting("example.com/gpu=2")),
			server("a", having("pods=9 example.com/gpu=1")), "OutOfexample.com/gpu",
			"Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1"},
		"devices it does not know": {guest("p", requesting("example.com/gpu=2")), full, "", ""},
		"affinity": {guest("p", selecting("disk", "ssd")), full, "NodeAffinity",
			"Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
		"name": {guest("p", placedOn("b")), full, "NodeName",
			"Predicate NodeName failed: node(s) didn't match the requested node name"},
		"NoExecute": {guest("p"), server("a", withTaint("x", noExecute)), "TaintToleration",
			"Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"},
		"NoSchedule": {guest("p"), server("a", withTaint("x", noSchedule)), "", ""},
		"cordoned":   {guest("p"), server("a", unschedulable), "", ""},
	} {
		reason, message := plugins.Misfit(given.pod, given.node, []*corev1.Pod{other})
		assert.Equal(t, given.reason, reason, name)
		assert.Equal(t, given.message, message, name)
	}
	reason, _ := plugins.Misfit(guest("p", hostPort("", "", 80)), full,
		[]*corev1.Pod{guest("q", hostPort("", "", 80))})
	assert.Equal(t, "NodePorts", reason)
}

func TestALookAtSomeNodesIsALookAtAllZones(t *testing.T) {
	all := cache.NewNodes(nodes(
		server("a", inZone("1")), server("b", inZone("1")), server("c", inZone("1")),
		server("d", inZone("2")), server("e", inZone("3")), server("f", inZone("3"))), nil)
	var names []string
	for _, n := range all.List() {
		names = append(names, n.Name)
	}
	assert.Equal(t, []string{"a", "d", "e", "b", "f", "c"}, names)
}

func TestEnoughNodesAreAskedToChooseWell(t *testing.T) {
	for all, enough := range map[int]int{
		0: 0, 1: 1, 99: 99, 100: 100, 200: 100, 500: 230, 1000: 420, 5000: 500, 6000: 300, 20_000: 1000,
	} {
		assert.Equal(t, enough, scheduler.EnoughOf(all), all)
	}
}
