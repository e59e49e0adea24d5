package daemonset_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// on is a Pod that is on a node and runs, of the revision "new"; those that come
// later in a test are younger.
func standsOn(name string, is ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:              name,
			CreationTimestamp: metav1.Unix(int64(name[0]), 0),
			Labels: map[string]string{
				appsv1.ControllerRevisionHashLabelKey: "new",
			},
		},
		Spec:   corev1.PodSpec{NodeName: "n"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, change := range is {
		change(pod)
	}
	return pod
}

func outdated(pod *corev1.Pod) {
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = "old"
}

func phase(is corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase = is }
}

func going(pod *corev1.Pod) { pod.DeletionTimestamp = new(metav1.Unix(0, 0)) }

func pending(pod *corev1.Pod) { pod.Spec.NodeName = "" }

func readySince(age time.Duration) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(time.Now().Add(-age)),
		}}
	}
}

var readyNow = readySince(0)

type nodeCase struct {
	name   string
	unfit  string // "": should run one; "stays": only continue; "none": neither
	pods   []*corev1.Pod
	create bool
	remove []string
}

func tryNode(t *testing.T, ds *appsv1.DaemonSet, cases []nodeCase) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			create, remove := daemonset.PodsShouldBeOnNode(
				ds, "new", test.unfit == "", test.unfit != "none", test.pods...)
			assert.Equal(t, test.create, create, "a Pod is to be made")
			assert.ElementsMatch(t, test.remove, remove, "Pods have to go")
		})
	}
}

// Where nobody surges, one is there or none: and one that has been told to go is
// there until it has gone.
//
//book:exercise 6g
func TestThereIsOneOnEach(t *testing.T) {
	tryNode(t, logs(), []nodeCase{
		{name: "nobody", create: true},
		{name: "one that runs", pods: []*corev1.Pod{standsOn("a")}},
		{name: "an old one that runs", pods: []*corev1.Pod{standsOn("a", outdated)}},
		{name: "one that is on its way", pods: []*corev1.Pod{standsOn("a", pending)}},
		{name: "one that is about to go", pods: []*corev1.Pod{standsOn("a", going)}},
		{name: "one that has gone but for its name", create: true,
			pods: []*corev1.Pod{standsOn("a", going, phase(corev1.PodFailed))}},
		{name: "not meant", unfit: "stays"},
		{name: "not meant, but there", unfit: "stays", pods: []*corev1.Pod{standsOn("a")}},
	})
}

//book:exercise 6g
func TestWhoMayNotStayHasToGo(t *testing.T) {
	tryNode(t, logs(), []nodeCase{
		{name: "one", unfit: "none", pods: []*corev1.Pod{standsOn("a")}, remove: []string{"a"}},
		{name: "all", unfit: "none", remove: []string{"a", "b", "c"}, pods: []*corev1.Pod{
			standsOn("a"), standsOn("b", pending), standsOn("c", phase(corev1.PodFailed))}},
		{name: "but not twice", unfit: "none", pods: []*corev1.Pod{standsOn("a", going)}},
		{name: "nobody there", unfit: "none"},
	})
}

//book:exercise 6g
func TestWhoHasEndedGoesBeforeAnotherComes(t *testing.T) {
	for _, is := range []corev1.PodPhase{corev1.PodFailed, corev1.PodSucceeded} {
		tryNode(t, logs(), []nodeCase{
			{name: string(is), pods: []*corev1.Pod{standsOn("a", phase(is))}, remove: []string{"a"}},
			{name: string(is) + ", and one that runs", remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", phase(is)), standsOn("b")}},
			{name: "one that runs, and " + string(is), remove: []string{"b"},
				pods: []*corev1.Pod{standsOn("a"), standsOn("b", phase(is))}},
			{name: string(is) + ", twice", remove: []string{"a", "b"},
				pods: []*corev1.Pod{standsOn("a", phase(is)), standsOn("b", phase(is))}},
			{name: string(is) + ", twice, and two that run", remove: []string{"a", "c", "d"},
				pods: []*corev1.Pod{standsOn("a", phase(is)), standsOn("b"), standsOn("c", phase(is)), standsOn("d")}},
			{name: string(is) + ", not meant", unfit: "stays", remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", phase(is))}},
		})
	}
}

//book:exercise 6g
func TestOfSeveralTheFirstStays(t *testing.T) {
	tryNode(t, logs(), []nodeCase{
		{name: "the oldest", pods: []*corev1.Pod{standsOn("c"), standsOn("a"), standsOn("b")}, remove: []string{"b", "c"}},
		{name: "who is there already", remove: []string{"a"},
			pods: []*corev1.Pod{standsOn("a", pending), standsOn("b")}},
		{name: "of one age by name", remove: []string{"a2"},
			pods: []*corev1.Pod{standsOn("a2"), standsOn("a1")}},
		{name: "be it new or old", pods: []*corev1.Pod{standsOn("a", outdated), standsOn("b")}, remove: []string{"b"}},
		{name: "who goes does not count", pods: []*corev1.Pod{standsOn("a", going), standsOn("b"), standsOn("c")},
			remove: []string{"c"}},
	})
}

func TestASetThatSurgesMayHaveTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tryCases := []nodeCase{
			{name: "nobody", create: true},
			{name: "one", pods: []*corev1.Pod{standsOn("a", outdated)}},
			{name: "one that is about to go", create: true, pods: []*corev1.Pod{standsOn("a", going)}},
			{name: "about to go, and not meant", unfit: "stays", pods: []*corev1.Pod{standsOn("a", going)}},
			{name: "one that has failed", create: true, remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", phase(corev1.PodFailed))}},
			{name: "the old one is ready, the new one is not",
				pods: []*corev1.Pod{standsOn("a", outdated, readyNow), standsOn("b")}},
			{name: "the new one is ready, but not for long enough",
				pods: []*corev1.Pod{standsOn("a", outdated, readyNow), standsOn("b", readyNow)}},
			{name: "the new one is ready", remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", outdated, readyNow), standsOn("b", readySince(time.Minute))}},
			{name: "both are ready, and neither for long enough",
				pods: []*corev1.Pod{standsOn("a", outdated, readySince(time.Second)), standsOn("b", readySince(time.Second))}},
			{name: "none is ready", remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", outdated), standsOn("b")}},
			{name: "two new ones", remove: []string{"b"}, pods: []*corev1.Pod{standsOn("a"), standsOn("b")}},
			{name: "two new ones that are ready", remove: []string{"b"},
				pods: []*corev1.Pod{standsOn("a", readyNow), standsOn("b", readyNow)}},
			{name: "one has failed, and a new one runs", remove: []string{"a"},
				pods: []*corev1.Pod{standsOn("a", phase(corev1.PodFailed)), standsOn("b")}},
			{name: "one runs, and a new one has failed", remove: []string{"b"},
				pods: []*corev1.Pod{standsOn("a", outdated, readyNow), standsOn("b", phase(corev1.PodFailed))}},
			{name: "an old one has failed, and there are two", remove: []string{"a"}, pods: []*corev1.Pod{
				standsOn("a", outdated, phase(corev1.PodFailed)), standsOn("b", outdated, readyNow), standsOn("c")}},
			{name: "two of each", remove: []string{"b", "d"}, pods: []*corev1.Pod{
				standsOn("a", outdated, readyNow), standsOn("b", outdated, readyNow), standsOn("c"), standsOn("d")}},
		}
		for _, test := range tryCases {
			create, remove := daemonset.PodsShouldBeOnNode(logs(surging("1"), readyFor(30)), "new",
				test.unfit == "", test.unfit != "none", test.pods...)
			assert.Equal(t, test.create, create, test.name)
			assert.ElementsMatch(t, test.remove, remove, test.name)
		}
	})
}

func TestWhatAnUpdateMakesOfANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			name           string
			noneWanted     bool
			pods           []*corev1.Pod
			state, surging string
		}{
			{"nobody", false, nil, "inProgress", "upToDate"},
			{"nobody, and nobody is to come", true, nil, "upToDate", "upToDate"},
			{"one that goes", false, []*corev1.Pod{standsOn("a", going)}, "inProgress", "upToDate"},
			{"one that goes for good", true, []*corev1.Pod{standsOn("a", going)}, "inProgress", "upToDate"},
			{"a new one", false, []*corev1.Pod{standsOn("a")}, "inProgress", "upToDate"},
			{"a new one that works", false, []*corev1.Pod{standsOn("a", readyNow)}, "upToDate", "upToDate"},
			{"an old one", false, []*corev1.Pod{standsOn("a", outdated)}, "unavailable", "unavailable"},
			{"an old one that works", false, []*corev1.Pod{standsOn("a", outdated, readyNow)}, "available", "available"},
			{"an old one that works for others", true,
				[]*corev1.Pod{standsOn("a", outdated, readyNow)}, "available", "surplus"},
			{"both", false, []*corev1.Pod{standsOn("a", outdated, readyNow), standsOn("b")}, "inProgress", "inProgress"},
			{"two new ones", false, []*corev1.Pod{standsOn("a", readyNow), standsOn("b", readyNow)}, "inProgress", "inProgress"},
			{"a new one, and an old one that goes", false,
				[]*corev1.Pod{standsOn("a", outdated, going), standsOn("b", readyNow)}, "upToDate", "upToDate"},
		} {
			assert.Equal(t, test.state,
				daemonset.UpdateStateOf(logs(), "new", !test.noneWanted, test.pods...), test.name)
			assert.Equal(t, test.surging,
				daemonset.UpdateStateOf(logs(surging("1")), "new", !test.noneWanted, test.pods...),
				test.name+", with surge")
		}
	})
}

func TestWhichNodesAreMeant(t *testing.T) {
	noSchedule, noExecute := corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	hostNetwork := func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.HostNetwork = true }
	for _, test := range []struct {
		name                      string
		ds                        *appsv1.DaemonSet
		node                      *corev1.Node
		shouldRun, shouldContinue bool
	}{
		{"any", logs(), host("n"), true, true},
		{"the one that is named", logs(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.NodeName = "n"
		}), host("n"), true, true},
		{"another is named", logs(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.NodeName = "other"
		}), host("n"), false, false},
		{"without the label", logs(only("disk", "ssd")), host("n"), false, false},
		{"a taint", logs(), host("n", tainted("gpu", noSchedule)), false, true},
		{"a taint that drives out", logs(), host("n", tainted("gpu", noExecute)), false, false},
		{"both", logs(bearing("gpu", noSchedule)),
			host("n", tainted("gpu", noSchedule), tainted("gpu", noExecute)), false, false},
		{"a taint that is borne", logs(bearing("gpu", noSchedule)),
			host("n", tainted("gpu", noSchedule)), true, true},
		{"a wish", logs(), host("n", tainted("gpu", corev1.TaintEffectPreferNoSchedule)), true, true},
		{"a label and a taint", logs(only("disk", "ssd")),
			host("n", tainted("gpu", noSchedule)), false, false},
		{"not ready", logs(), host("n", tainted(corev1.TaintNodeNotReady, noExecute)), true, true},
		{"not ready, not to be scheduled to", logs(),
			host("n", tainted(corev1.TaintNodeNotReady, noSchedule)), false, true},
		{"unreachable", logs(), host("n", tainted(corev1.TaintNodeUnreachable, noExecute)), true, true},
		{"short of everything", logs(), host("n",
			tainted(corev1.TaintNodeDiskPressure, noSchedule),
			tainted(corev1.TaintNodeMemoryPressure, noSchedule),
			tainted(corev1.TaintNodePIDPressure, noSchedule),
			tainted(corev1.TaintNodeUnschedulable, noSchedule)), true, true},
		{"without network", logs(), host("n",
			tainted(corev1.TaintNodeNetworkUnavailable, noSchedule)), false, true},
		{"what brings the network", logs(hostNetwork), host("n",
			tainted(corev1.TaintNodeNetworkUnavailable, noSchedule)), true, true},
	} {
		shouldRun, shouldContinue := daemonset.NodeShouldRunPod(test.ds, test.node)
		assert.Equal(t, test.shouldRun, shouldRun, test.name)
		assert.Equal(t, test.shouldContinue, shouldContinue, test.name)
	}
}

func TestADaemonIsMadeForOneNode(t *testing.T) {
	ds := logs(bearing(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute), func(ds *appsv1.DaemonSet) {
		ds.Annotations = map[string]string{appsv1.DeprecatedTemplateGeneration: "3"}
		ds.Spec.Template.Spec.Tolerations[0].TolerationSeconds = new(int64(5))
		ds.Spec.Template.Spec.Affinity = &corev1.Affinity{
			PodAntiAffinity: &corev1.PodAntiAffinity{},
			NodeAffinity: &corev1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 3}},
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{
						MatchExpressions: []corev1.NodeSelectorRequirement{{
							Key: "disk", Operator: corev1.NodeSelectorOpExists,
						}},
					}},
				},
			},
		}
	})
	before := controlloop.Copy(ds)
	pod := daemonset.NewDaemonPod(ds, "h4sh", "n7")
	assert.Equal(t, before, ds, "the set is as it was")
	assert.Equal(t, "logs-", pod.GenerateName)
	assert.Empty(t, pod.Spec.NodeName, "the scheduler puts it there")
	assert.Equal(t, "n7", daemonset.Target(pod))
	assert.Equal(t, map[string]string{
		"app": "logs", "controller-revision-hash": "h4sh", "pod-template-generation": "3",
	}, pod.Labels)
	node := pod.Spec.Affinity.NodeAffinity
	assert.Equal(t, []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n7"},
		}},
	}}, node.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, "in the place of what was required")
	assert.Len(t, node.PreferredDuringSchedulingIgnoredDuringExecution, 1)
	assert.NotNil(t, pod.Spec.Affinity.PodAntiAffinity)
	require.Len(t, pod.Spec.Tolerations, 6)
	assert.Nil(t, pod.Spec.Tolerations[0].TolerationSeconds, "a daemon stays for good")
}

func TestADaemonStaysForGoodHoweverOftenItSaysForHowLong(t *testing.T) {
	unready := bearing(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute)
	pod := daemonset.NewDaemonPod(logs(unready, unready, func(ds *appsv1.DaemonSet) {
		for i := range ds.Spec.Template.Spec.Tolerations {
			ds.Spec.Template.Spec.Tolerations[i].TolerationSeconds = new(int64(i))
		}
	}), "h4sh", "n7")
	require.Len(t, pod.Spec.Tolerations, 7)
	for _, toleration := range pod.Spec.Tolerations {
		assert.Nil(t, toleration.TolerationSeconds)
	}
}

func TestTheTargetOfAPod(t *testing.T) {
	term := func(op corev1.NodeSelectorOperator, names ...string) *corev1.Pod {
		pod := daemonset.NewDaemonPod(logs(), "", "n")
		says := &pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.
			NodeSelectorTerms[0].MatchFields[0]
		says.Operator, says.Values = op, names
		return pod
	}
	assert.Equal(t, "n1", daemonset.Target(term(corev1.NodeSelectorOpIn, "n1")))
	assert.Empty(t, daemonset.Target(term(corev1.NodeSelectorOpIn, "n1", "n2")))
	assert.Empty(t, daemonset.Target(term(corev1.NodeSelectorOpNotIn, "n1")))
	assert.Empty(t, daemonset.Target(&corev1.Pod{}))
	bound := term(corev1.NodeSelectorOpIn, "n1")
	bound.Spec.NodeName = "n2"
	assert.Equal(t, "n2", daemonset.Target(bound), "where it is counts more than where it was to go")
}

func TestSharesOfNodesAreRoundedUp(t *testing.T) {
	for _, test := range []struct {
		ds                 *appsv1.DaemonSet
		nodes              int
		surge, unavailable int
	}{
		{logs(bounds("0", "25%")), 10, 0, 3},
		{logs(bounds("0", "1%")), 10, 0, 1},
		{logs(bounds("10%", "0")), 15, 2, 1},
		{logs(bounds("0", "0")), 10, 0, 1},
		{logs(bounds("0", "7")), 3, 0, 7},
	} {
		surge, unavailable := daemonset.Bounds(test.ds, test.nodes)
		assert.Equal(t, test.surge, surge)
		assert.Equal(t, test.unavailable, unavailable)
	}
	broken := logs(bounds("0", "0"))
	broken.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = new(intstr.FromString("lots"))
	_, unavailable := daemonset.Bounds(broken, 10)
	assert.Equal(t, 1, unavailable)
	surge, _ := daemonset.Bounds(logs(onDelete), 10)
	assert.Zero(t, surge)
}

func TestPausesDoubleUpToAQuarterOfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pauses := daemonset.Backoffs(12)
		assert.Equal(t, []time.Duration{
			time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		}, pauses[:4])
		assert.Equal(t, 512*time.Second, pauses[9])
		assert.Equal(t, 15*time.Minute, pauses[10])
		assert.Equal(t, 15*time.Minute, pauses[11])
		assert.Equal(t, 8*time.Second, daemonset.BackoffAfter(30*time.Minute))
		assert.Equal(t, time.Second, daemonset.BackoffAfter(30*time.Minute+time.Second), "it is the first again")
	})
}
