package statefulset_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	statefulset "reconcile/chapters/04-statefulset"
)

// pod is a Pod of that name, ready for an hour; changes make it another.
func pod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{
			"app": "web", appsv1.StatefulSetPodNameLabel: name,
		},
	}}
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour)),
	}}
	for _, change := range changes {
		change(p)
	}
	return p
}

func going(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }

func notReady(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }

func failed(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }

func succeeded(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }

func nameless(p *corev1.Pod) { delete(p.Labels, appsv1.StatefulSetPodNameLabel) }

func pending(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }

func sinceNow(p *corev1.Pod) {
	p.Status.Conditions[0].LastTransitionTime = metav1.Now()
}

type situation struct {
	set  *appsv1.StatefulSet
	pods []*corev1.Pod
	want []string
}

func decides(t *testing.T, all map[string]situation) {
	t.Helper()
	for name, c := range all {
		got, _ := statefulset.Next(c.set, c.pods...)
		assert.Equal(t, c.want, got, name)
	}
}

func is0(changes ...func(*corev1.Pod)) []*corev1.Pod {
	return []*corev1.Pod{pod("web-0", changes...)}
}

// From the lowest up, and never past one that is not as it should be.
//
//book:exercise 4.2
func TestOneAfterTheOther(t *testing.T) {
	decides(t, map[string]situation{
		"nobody is there":             {web(3), nil, []string{"create web-0"}},
		"the first is ready":          {web(3), is0(), []string{"create web-1"}},
		"the first is not ready":      {web(3), is0(notReady), nil},
		"the first has not begun":     {web(3), is0(pending), nil},
		"the first is going":          {web(3), is0(going), nil},
		"the first, too early":        {web(3, patient(7200)), is0(), nil},
		"the first has lost its name": {web(1), is0(nameless), []string{"renew web-0"}},
		"a hole":                      {web(3), []*corev1.Pod{pod("web-0"), pod("web-2")}, []string{"create web-1"}},
		"a hole below one that is not ready": {web(3),
			[]*corev1.Pod{pod("web-0"), pod("web-2", notReady)}, []string{"create web-1"}},
		"from another number": {web(2, from(5)), nil, []string{"create web-5"}},
	})
}

// A Pod that has ended has its name until it is gone.
//
//book:exercise 4.2
func TestWhatHasEndedIsRemovedBeforeItIsMadeAgain(t *testing.T) {
	decides(t, map[string]situation{
		"failed":                    {web(2), is0(failed), []string{"remove web-0"}},
		"succeeded":                 {web(2), is0(succeeded), []string{"remove web-0"}},
		"failed, and told to go":    {web(2), is0(failed, going), nil},
		"failed, without its label": {web(2), is0(failed, nameless), []string{"remove web-0"}},
	})
}

// A Pod that becomes available by sitting still is looked at again then.
//
//book:exercise 4.2
func TestTheNextIsMadeWhenThisHasBeenReadyForLongEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := statefulset.Next(web(2, patient(30)), pod("web-0", sinceNow))
		assert.Equal(t, "30s", s.Wait)
	})
}

func three(changes ...func(*corev1.Pod)) []*corev1.Pod {
	return []*corev1.Pod{pod("web-0"), pod("web-1"), pod("web-2", changes...)}
}

// From the highest down.
//
//book:exercise 4.3
func TestTheHighestGoesFirst(t *testing.T) {
	decides(t, map[string]situation{
		"to one":                 {web(1), three(), []string{"remove web-2"}},
		"to none":                {web(0), three(), []string{"remove web-2"}},
		"the highest is going":   {web(1), three(going), nil},
		"a new beginning":        {web(2, from(1)), three(), []string{"remove web-0"}},
		"the lower is not there": {web(1), []*corev1.Pod{pod("web-0"), pod("web-2")}, []string{"remove web-2"}},
	})
}

// While another does not work nobody goes, but for the one that does not.
//
//book:exercise 4.3
func TestNobodyGoesWhileAnotherDoesNotWork(t *testing.T) {
	decides(t, map[string]situation{
		"one that stays is not ready":   {web(2), []*corev1.Pod{pod("web-0"), pod("web-1", notReady), pod("web-2")}, nil},
		"the highest is the one":        {web(1), three(notReady), []string{"remove web-2"}},
		"a lower one that goes as well": {web(1), []*corev1.Pod{pod("web-0"), pod("web-1", notReady), pod("web-2")}, []string{"remove web-2"}},
		"both that go": {web(1), []*corev1.Pod{
			pod("web-0"), pod("web-1", notReady), pod("web-2", notReady)}, nil},
		"too early": {web(1, patient(60)), []*corev1.Pod{
			pod("web-0"), pod("web-1", sinceNow), pod("web-2", sinceNow)}, nil},
	})
}

// Parallel is the same, and nobody waits.
//
//book:exercise 4.4
func TestParallelDoesNotWait(t *testing.T) {
	decides(t, map[string]situation{
		"all at once": {web(3, parallel), nil, []string{"create web-0", "create web-1", "create web-2"}},
		"past one that is not ready": {web(3, parallel), is0(notReady),
			[]string{"create web-1", "create web-2"}},
		"past one that has ended": {web(2, parallel), is0(failed), []string{"remove web-0", "create web-1"}},
		"all go at once":          {web(0, parallel), three(), []string{"remove web-2", "remove web-1", "remove web-0"}},
		"but for those that do":   {web(0, parallel), three(going), []string{"remove web-1", "remove web-0"}},
		"both ways":               {web(1, parallel), []*corev1.Pod{pod("web-2", notReady)}, []string{"create web-0", "remove web-2"}},
		"from another number":     {web(2, parallel, from(5)), nil, []string{"create web-5", "create web-6"}},
	})
}

// In order is one at a time, and first those that should be there.
//
//book:exercise 4.4
func TestInOrderIsOneAtATime(t *testing.T) {
	decides(t, map[string]situation{
		"up":                  {web(3), nil, []string{"create web-0"}},
		"down":                {web(1), three(), []string{"remove web-2"}},
		"up before down":      {web(1), []*corev1.Pod{pod("web-2")}, []string{"create web-0"}},
		"renew, and go on":    {web(2), is0(nameless), []string{"renew web-0", "create web-1"}},
		"nothing left to do":  {web(3), three(), nil},
		"nothing left, of no": {web(0), nil, nil},
	})
}

// Only a set in which everybody is there, and nobody else, may be updated.
//
//book:exercise 4.4
func TestASetIsSettledWhenNothingIsOnItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		set  *appsv1.StatefulSet
		pods []*corev1.Pod
		want bool
	}{
		"all are there":         {web(3), three(), true},
		"one is missing":        {web(4), three(), false},
		"one is not ready":      {web(3), three(notReady), false},
		"one is too many":       {web(2), three(), false},
		"one is going":          {web(2), three(going), false},
		"in parallel, whatever": {web(3, parallel), three(notReady), true},
	} {
		_, s := statefulset.Next(c.set, c.pods...)
		assert.Equal(t, c.want, s.Settled, name)
	}
}
