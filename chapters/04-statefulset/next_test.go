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

// pod returns a Pod of that name, ready for an hour; changes make it another.
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

func readyFor(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(-d))
	}
}

type situation struct {
	set  *appsv1.StatefulSet
	pods []*corev1.Pod
	want []string
	wait time.Duration // 0: an event will come
}

func decides(t *testing.T, all map[string]situation) {
	t.Helper()
	for name, c := range all {
		got, s := statefulset.Next(c.set, c.pods...)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.wait.String(), s.Wait, "%s: when is it looked at again?", name)
	}
}

func is0(changes ...func(*corev1.Pod)) []*corev1.Pod {
	return []*corev1.Pod{pod("web-0", changes...)}
}

// From the lowest up, and never past one that is not as it should be.
//
//book:exercise 4c
func TestOneAfterTheOther(t *testing.T) {
	decides(t, map[string]situation{
		"nobody is there":                        {web(3), nil, []string{"create web-0"}, 0},
		"the first is ready":                     {web(3), is0(), []string{"create web-1"}, 0},
		"the first is not ready":                 {web(3), is0(notReady), nil, 0},
		"the first has not begun":                {web(3), is0(pending), nil, 0},
		"the first is going":                     {web(3), is0(going), nil, 0},
		"the first has lost its name":            {web(2), is0(nameless), []string{"renew web-0", "create web-1"}, 0},
		"it has lost its name, and is not ready": {web(2), is0(nameless, notReady), nil, 0},
		"a hole":                                 {web(3), []*corev1.Pod{pod("web-0"), pod("web-2")}, []string{"create web-1"}, 0},
		"a hole below one that is not ready": {web(3),
			[]*corev1.Pod{pod("web-0"), pod("web-2", notReady)}, []string{"create web-1"}, 0},
		"from another number": {web(2, from(5)), nil, []string{"create web-5"}, 0},
	})
}

// A Pod that has ended has its name until it is gone.
//
//book:exercise 4c
func TestWhatHasEndedIsRemovedBeforeItIsMadeAgain(t *testing.T) {
	decides(t, map[string]situation{
		"failed":                    {web(2), is0(failed), []string{"remove web-0"}, 0},
		"succeeded":                 {web(2), is0(succeeded), []string{"remove web-0"}, 0},
		"failed, and told to go":    {web(2), is0(failed, going), nil, 0},
		"failed, without its label": {web(2), is0(failed, nameless), []string{"remove web-0"}, 0},
	})
}

// A Pod that becomes available by sitting still is looked at again then.
//
//book:exercise 4c
func TestTheNextIsMadeWhenThisHasBeenReadyForLongEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decides(t, map[string]situation{
			"ready now":          {web(2, patient(30)), is0(readyFor(0)), nil, 30 * time.Second},
			"ready for a while":  {web(2, patient(30)), is0(readyFor(12 * time.Second)), nil, 18 * time.Second},
			"almost":             {web(2, patient(30)), is0(readyFor(30*time.Second - 1)), nil, 1},
			"for long enough":    {web(2, patient(30)), is0(readyFor(30 * time.Second)), []string{"create web-1"}, 0},
			"ready, and pending": {web(2, patient(30)), is0(readyFor(time.Hour), pending), nil, 0},
		})
	})
}

func three(changes ...func(*corev1.Pod)) []*corev1.Pod {
	return []*corev1.Pod{pod("web-0"), pod("web-1"), pod("web-2", changes...)}
}

// From the highest down.
//
//book:exercise 4d
func TestTheHighestGoesFirst(t *testing.T) {
	decides(t, map[string]situation{
		"to one":                 {web(1), three(), []string{"remove web-2"}, 0},
		"to none":                {web(0), three(), []string{"remove web-2"}, 0},
		"the highest is going":   {web(1), three(going), nil, 0},
		"a new beginning":        {web(2, from(1)), three(), []string{"remove web-0"}, 0},
		"the lower is not there": {web(1), []*corev1.Pod{pod("web-0"), pod("web-2")}, []string{"remove web-2"}, 0},
	})
}

// A broken Pod waits for the lower ones that are broken, a healthy one for none.
//
//book:exercise 4d
func TestABrokenPodWaitsForTheLowerOnes(t *testing.T) {
	decides(t, map[string]situation{
		"one that stays is not ready":   {web(2), []*corev1.Pod{pod("web-0"), pod("web-1", notReady), pod("web-2")}, nil, 0},
		"the highest is the one":        {web(1), three(notReady), []string{"remove web-2"}, 0},
		"a lower one that goes as well": {web(1), []*corev1.Pod{pod("web-0"), pod("web-1", notReady), pod("web-2")}, []string{"remove web-2"}, 0},
		"both that go": {web(1), []*corev1.Pod{
			pod("web-0"), pod("web-1", notReady), pod("web-2", notReady)}, nil, 0},
		"a lower one is going already": {web(1), []*corev1.Pod{
			pod("web-0"), pod("web-1", going), pod("web-2", notReady)}, nil, 0},
		"both, and not in order": {web(1, parallel), []*corev1.Pod{
			pod("web-0"), pod("web-1", notReady), pod("web-2", notReady)}, []string{"remove web-2", "remove web-1"}, 0},
	})
}

// One of two that are too many has not been ready for long enough, and neither
// has the other.
//
//book:exercise 4d
func TestWhoWillWorkSoonIsLookedAtAgainThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decides(t, map[string]situation{
			"too early": {web(1, patient(60)), []*corev1.Pod{
				pod("web-0"), pod("web-1", readyFor(0)), pod("web-2", readyFor(20*time.Second)),
			}, nil, 40 * time.Second},
			"not too early": {web(1, patient(60)), []*corev1.Pod{
				pod("web-0"), pod("web-1", readyFor(0)), pod("web-2", readyFor(time.Minute)),
			}, []string{"remove web-2"}, 0},
		})
	})
}

// Parallel does the same, without waiting.
//
//book:exercise 4e
func TestParallelDoesNotWait(t *testing.T) {
	decides(t, map[string]situation{
		"all at once": {web(3, parallel), nil, []string{"create web-0", "create web-1", "create web-2"}, 0},
		"past one that is not ready": {web(3, parallel), is0(notReady),
			[]string{"create web-1", "create web-2"}, 0},
		"past one that is not ready and has lost its name": {web(2, parallel), is0(nameless, notReady),
			[]string{"create web-1"}, 0},
		"past one that has ended": {web(2, parallel), is0(failed), []string{"remove web-0", "create web-1"}, 0},
		"all go at once":          {web(0, parallel), three(), []string{"remove web-2", "remove web-1", "remove web-0"}, 0},
		"but for those that do":   {web(0, parallel), three(going), []string{"remove web-1", "remove web-0"}, 0},
		"both ways":               {web(1, parallel), []*corev1.Pod{pod("web-2", notReady)}, []string{"create web-0", "remove web-2"}, 0},
		"from another number":     {web(2, parallel, from(5)), nil, []string{"create web-5", "create web-6"}, 0},
	})
}

// Several are waited for. The next look comes when the first of them is due.
//
//book:exercise 4e
func TestTheNextLookIsWhenTheFirstOfThemIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		decides(t, map[string]situation{
			"the second is": {web(3, parallel, patient(60)), []*corev1.Pod{
				pod("web-0", readyFor(10*time.Second)), pod("web-1", readyFor(50*time.Second)),
				pod("web-2", readyFor(30*time.Second)),
			}, nil, 10 * time.Second},
			"one that is too many": {web(1, patient(60)), []*corev1.Pod{
				pod("web-0"), pod("web-1", notReady), pod("web-2", readyFor(35*time.Second)),
			}, nil, 25 * time.Second},
		})
	})
}

// In order is one at a time, and first those that should be there.
//
//book:exercise 4e
func TestInOrderIsOneAtATime(t *testing.T) {
	decides(t, map[string]situation{
		"up":                  {web(3), nil, []string{"create web-0"}, 0},
		"down":                {web(1), three(), []string{"remove web-2"}, 0},
		"down, and it fails":  {web(1), three(notReady), []string{"remove web-2"}, 0},
		"up before down":      {web(1), []*corev1.Pod{pod("web-2")}, []string{"create web-0"}, 0},
		"renew, and go on":    {web(2), is0(nameless), []string{"renew web-0", "create web-1"}, 0},
		"nothing left to do":  {web(3), three(), nil, 0},
		"nothing left, of no": {web(0), nil, nil, 0},
	})
}

// A set may be updated only when all its replicas are there, and no other Pods.
//
//book:exercise 4e
func TestASetIsSettledWhenNothingIsOnItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		set  *appsv1.StatefulSet
		pods []*corev1.Pod
		want bool
	}{
		"all are there":                        {web(3), three(), true},
		"one is missing":                       {web(4), three(), false},
		"one is not ready":                     {web(3), three(notReady), false},
		"one is too many":                      {web(2), three(), false},
		"one is going":                         {web(2), three(going), false},
		"in parallel, whatever":                {web(3, parallel), three(notReady), true},
		"in parallel, whatever there is to do": {web(4, parallel), three(), true},
	} {
		_, s := statefulset.Next(c.set, c.pods...)
		assert.Equal(t, c.want, s.Settled, name)
	}
}
