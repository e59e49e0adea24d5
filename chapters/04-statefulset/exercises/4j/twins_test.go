package twins_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	twins "reconcile/chapters/04-statefulset/exercises/4j"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// day is a cluster in which the test does the work of the nodes and of people, and
// in which every write to a Pod is judged.
type day struct {
	*kubetest.Cluster
	t      *testing.T
	by     twins.Author // of the writes that the test makes
	pods   []*corev1.Pod
	blamed []string
}

func (d *day) judge(w kubetest.Write, _ []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok {
		return nil
	}
	write := twins.Write{By: twins.Controller, New: pod}
	if w.By == "the test" {
		write.By = d.by
	}
	write.Old, _ = w.Old.(*corev1.Pod)
	what := "changes "
	switch {
	case write.Old == nil:
		what = "creates "
	case w.Type == "DELETED":
		what, write.New = "takes away ", nil
	}
	if twins.Breaks(write, slices.Clone(d.pods)) {
		d.blamed = append(d.blamed, what+pod.Spec.Hostname)
	}
	d.pods = slices.DeleteFunc(d.pods, func(p *corev1.Pod) bool { return p.UID == pod.UID })
	if write.New != nil {
		d.pods = append(d.pods, pod)
	}
	return nil
}

// called returns the Pod of that host name, the one that stays if there are two.
func (d *day) called(host string) *corev1.Pod {
	var found *corev1.Pod
	for _, pod := range d.Pods() {
		if pod.Spec.Hostname == host && (found == nil || found.DeletionTimestamp != nil) {
			found = pod
		}
	}
	require.NotNil(d.t, found, host)
	return found
}

// report makes a Pod's node report its state.
func (d *day) report(pod *corev1.Pod, phase corev1.PodPhase, ready corev1.ConditionStatus) {
	d.by = twins.Kubelet
	pod = controlloop.Copy(kubetest.Get(d.Cluster, pod))
	pod.Status.Phase = phase
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: ready, LastTransitionTime: controlloop.Now(),
	}}
	_, err := d.Store.UpdateStatus(d.t.Context(), pod)
	require.NoError(d.t, err)
	d.by = twins.Person
}

// work lets the controller and the nodes work until there is nothing to do.
func (d *day) work() {
	for range 60 {
		d.Advance(time.Second)
		busy := false
		for _, pod := range d.Pods() {
			switch {
			case pod.DeletionTimestamp != nil:
				d.by = twins.Kubelet
				d.DeletePod(pod.Name, kubetest.Grace(0))
				d.by = twins.Person
			case pod.Spec.NodeName == "":
				d.Bind(pod, "node-1")
			case !kubetest.Ready(pod) && !controlloop.HasEnded(pod):
				d.report(pod, corev1.PodRunning, corev1.ConditionTrue)
			default:
				continue
			}
			busy = true
		}
		if !busy {
			return
		}
	}
}

func (d *day) scale(replicas int32) {
	kubetest.Edit(d.Cluster, web(0), func(set *appsv1.StatefulSet) { set.Spec.Replicas = &replicas })
	d.Advance(time.Second)
}

// blamed returns what a controller is blamed for on a day on which everything
// happens that may happen to a set.
func blamed(t *testing.T, controller kubetest.Controller, changes ...func(*appsv1.StatefulSet)) (all []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &day{t: t, by: twins.Person}
		d.Cluster = kubetest.New(t, kubetest.Setup{
			Kinds:       controlloop.CoreKinds().With(statefulset.Kinds()...),
			Controllers: []kubetest.Controller{controller},
			Invariants:  []kubetest.Invariant{d.judge},
		})
		kubetest.Create(d.Cluster, web(3, changes...))
		d.work()
		// Barend deletes web-1. For two minutes its node doesn't answer.
		d.DeletePod(d.called("web-1").Name)
		d.Advance(2 * time.Minute)
		d.work()
		// web-0's node is short of memory, and evicts it.
		d.report(d.called("web-0"), corev1.PodFailed, corev1.ConditionFalse)
		d.work()
		// Ada asks for four. Before the fourth is ready she asks for two.
		d.scale(4)
		d.Bind(d.called("web-3"), "node-1")
		d.scale(2)
		d.work()
		// She asks for three, and for two before the third has a node.
		d.scale(3)
		d.scale(2)
		d.work()
		// For ten minutes web-1 isn't ready.
		d.report(d.called("web-1"), corev1.PodRunning, corev1.ConditionFalse)
		d.Advance(10 * time.Minute)
		d.work()
		// Ada has pulled the plug of web-1's node.
		d.DeletePod(d.called("web-1").Name, kubetest.Grace(0))
		d.work()
		all = d.blamed
	})
	return all
}

// notTheBooks fails if the chapter's controller is blamed: a judge who finds fault
// with everything finds nothing.
func notTheBooks(t *testing.T) {
	t.Helper()
	assert.Empty(t, blamed(t, statefulset.NewStatefulSets), "the chapter's controller")
	assert.Empty(t, blamed(t, statefulset.NewStatefulSets, parallel), "the chapter's controller, in Parallel")
}

// A controller that forces deletions takes the object away, and not the process.
//
//book:exercise 4j
func TestAPodIsNotTakenAwayWhileItMayRun(t *testing.T) {
	assert.Equal(t, []string{"takes away web-3", "takes away web-2"}, blamed(t, forced(always)), "every deletion is forced")
	assert.Equal(t, []string{"takes away web-3"}, blamed(t, forced(unready)), "it is forced for a Pod that isn't ready")
	assert.Equal(t, []string{"takes away web-1"}, blamed(t, meddling(overdue)), "it is forced when the grace is over")
	notTheBooks(t)
}

// Two objects of different names can have one host name.
//
//book:exercise 4j
func TestAPodIsNotCreatedBesideOneThatIsStillTerminating(t *testing.T) {
	assert.Equal(t, []string{"creates web-1"}, blamed(t, newByHostname), "the Pods' own names are random")
	notTheBooks(t)
}

// A controller says that a Pod has failed, and another believes it.
//
//book:exercise 4j
func TestOnlyTheKubeletKnowsThatAPodHasEnded(t *testing.T) {
	assert.Equal(t, []string{"changes web-1"}, blamed(t, meddling(givenUp)), "five minutes without being ready is Failed")
	notTheBooks(t)
}

// One write at a time.
//
//book:exercise 4j
func TestAWriteIsJudgedByWhatMayRun(t *testing.T) {
	pod := func(changes ...func(*corev1.Pod)) *corev1.Pod {
		p := kubetest.Pod("web-0")
		p.Namespace, p.Spec.Hostname, p.Spec.Subdomain = "shop", "web-0", "nginx"
		p.Spec.NodeName = "node-1"
		p.Status.Phase = corev1.PodRunning
		for _, change := range changes {
			change(p)
		}
		p.UID = types.UID(p.Namespace + "/" + p.Name)
		return p
	}
	nowhere := func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "", corev1.PodPending }
	pending := func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }
	ended := func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
	terminating := func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }
	other := func(p *corev1.Pod) { p.Name = "web-x" }
	elsewhere := func(p *corev1.Pod) { p.Namespace = "default" }
	below := func(p *corev1.Pod) { p.Spec.Subdomain = "peers" }
	for name, c := range map[string]struct {
		want   bool
		write  twins.Write
		before []*corev1.Pod
	}{
		"beside one that has no node yet":         {true, twins.Write{New: pod(nowhere, other)}, []*corev1.Pod{pod(nowhere)}},
		"beside one that terminates":              {true, twins.Write{New: pod(nowhere, other)}, []*corev1.Pod{pod(other, below), pod(terminating)}},
		"beside an ended one and another":         {true, twins.Write{New: pod(nowhere, other)}, []*corev1.Pod{pod(ended), pod()}},
		"given a node at once, beside another":    {true, twins.Write{New: pod(other)}, []*corev1.Pod{pod()}},
		"given a node at once, beside an ended":   {false, twins.Write{New: pod(other)}, []*corev1.Pod{pod(ended)}},
		"beside one that has ended":               {false, twins.Write{New: pod(nowhere, other)}, []*corev1.Pod{pod(ended)}},
		"beside one in another namespace":         {false, twins.Write{New: pod(nowhere)}, []*corev1.Pod{pod(elsewhere)}},
		"beside one below another Service":        {false, twins.Write{New: pod(nowhere, other)}, []*corev1.Pod{pod(below)}},
		"it is taken away, and has a node":        {true, twins.Write{Old: pod(pending)}, []*corev1.Pod{pod(pending)}},
		"it is taken away, and had no node":       {false, twins.Write{Old: pod(nowhere)}, []*corev1.Pod{pod(nowhere)}},
		"it is taken away, and had ended":         {false, twins.Write{Old: pod(ended)}, []*corev1.Pod{pod(ended)}},
		"it is told to terminate":                 {false, twins.Write{Old: pod(), New: pod(terminating)}, []*corev1.Pod{pod()}},
		"it gets a node":                          {false, twins.Write{Old: pod(nowhere), New: pod(pending)}, []*corev1.Pod{pod(nowhere)}},
		"it is said to have ended":                {true, twins.Write{Old: pod(pending), New: pod(ended)}, []*corev1.Pod{pod(pending)}},
		"the kubelet says that it has ended":      {false, twins.Write{By: twins.Kubelet, Old: pod(), New: pod(ended)}, []*corev1.Pod{pod()}},
		"the kubelet takes it away":               {false, twins.Write{By: twins.Kubelet, Old: pod(terminating)}, []*corev1.Pod{pod(terminating)}},
		"a person takes it away":                  {false, twins.Write{By: twins.Person, Old: pod(terminating)}, []*corev1.Pod{pod(terminating)}},
		"an ended one is taken away beside a new": {false, twins.Write{Old: pod(ended)}, []*corev1.Pod{pod(ended), pod(other)}},
	} {
		assert.Equal(t, c.want, twins.Breaks(c.write, c.before), name)
	}
}

// web returns a StatefulSet of that many Pods.
func web(replicas int32, changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	pod := kubetest.Pod("web")
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			ServiceName: "nginx", Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

func parallel(set *appsv1.StatefulSet) {
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
}
