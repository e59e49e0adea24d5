package lab_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/lab"
	"reconcile/internal/trace"
	"reconcile/internal/trace/why"
)

// moving is a cluster in which nothing is wrong, one step at a time.
type moving struct {
	fixture
	rand    *rand.Rand
	states  int
	awaited []await     // reconciles
	timed   []why.Chain // that wait for a time
}

// await is a reconcile that was said to come after an entry.
type await struct {
	since     int
	lane, key string
}

var deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")

// TestWhatMovesWaitsForNothingThatNeedsSomebody looks at 200 states between the steps of
// clusters in which all is well: no chain says that nobody will act, that something is
// paused, refused or stopped. What is said to be queued is reconciled, what waits for a
// time waits for something else when it has passed, and in the end nothing waits.
func TestWhatMovesWaitsForNothingThatNeedsSomebody(t *testing.T) {
	states := 0
	for seed := uint64(1); states < 200; seed++ {
		synctest.Test(t, func(t *testing.T) {
			l, err := lab.New(lab.Options{Nodes: 3, Seed: seed, Pace: time.Second})
			require.NoError(t, err)
			defer l.Close()
			l.Look.Begin()
			m := &moving{fixture: fixture{l, t}, rand: rand.New(rand.NewPCG(seed, 0))}
			m.rests()
			for _, do := range m.doings() {
				do()
				m.rests()
			}
			states += m.states
		})
	}
	t.Logf("%d states", states)
}

// doings are what a user does, one after the other.
func (m *moving) doings() []func() {
	return []func(){
		func() { m.create(m.deployment()) },
		func() {
			m.create(&corev1.Service{ObjectMeta: metaOf("web"), Spec: corev1.ServiceSpec{
				Selector: appOf("web").MatchLabels, Ports: []corev1.ServicePort{{Port: 80}},
			}})
			m.create(&policyv1.PodDisruptionBudget{ObjectMeta: metaOf("web"), Spec: policyv1.PodDisruptionBudgetSpec{
				Selector: appOf("web"), MinAvailable: new(intstr.FromInt32(0)),
			}})
			m.create(&appsv1.DaemonSet{ObjectMeta: metaOf("agent"), Spec: appsv1.DaemonSetSpec{
				Selector: appOf("agent"), Template: templateOf("agent"), MinReadySeconds: m.rand.Int32N(10),
			}})
		},
		func() {
			d := m.deployment()
			d.Spec.Template.Spec.Containers[0].Image, d.Spec.Replicas = "nginx:1.28", new(1+m.rand.Int32N(4))
			m.replace(d)
		},
		func() { m.create(disks("nginx:1.27", 3)) },
		func() {
			for _, p := range m.pods("default") {
				if m.rand.IntN(2) == 0 {
					m.delete(controlloop.PodKind, "default", p.Name)
				}
			}
		},
		func() { m.replace(disks("nginx:1.28", m.rand.Int32N(4))) },
		func() {
			m.delete(deploymentKind, "default", "web")
			m.delete(rollingupdate.ServiceKind, "default", "web")
		},
	}
}

func (m *moving) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metaOf("web"), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(4)), Selector: appOf("web"), Template: templateOf("web"), MinReadySeconds: m.rand.Int32N(10),
	}}
}

// disks returns a StatefulSet whose Pods have a disk each.
func disks(image string, replicas int32) *appsv1.StatefulSet {
	s := &appsv1.StatefulSet{ObjectMeta: metaOf("db"), Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, Selector: appOf("db"), Template: templateOf("db"), ServiceName: "db",
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claimSpec()}},
	}}
	s.Spec.Template.Spec.Containers[0].Image = image
	return s
}

// replace updates an object whatever version there is.
func (m *moving) replace(obj controlloop.Object) {
	kind, err := m.Store.Kinds().Of(obj)
	require.NoError(m.t, err)
	was, err := m.Store.Get(m.t.Context(), kind.GroupVersionKind, controlloop.KeyOf(obj))
	require.NoError(m.t, err)
	obj.SetResourceVersion(was.GetResourceVersion())
	m.update(obj)
}

func metaOf(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name}
}

func appOf(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func templateOf(app string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: appOf(app).MatchLabels}, Spec: pod("", "").Spec}
}

func claimSpec() corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}
}

// rests takes steps for two minutes, and looks now and then.
func (m *moving) rests() {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		more, err := m.Step(m.t.Context(), m.rand.IntN)
		require.NoError(m.t, err)
		synctest.Wait()
		if !more {
			m.passed()
			time.Sleep(500 * time.Millisecond)
		}
		if m.rand.IntN(30) == 0 {
			m.looks()
		}
	}
	m.comesAbout()
}

// chains returns what all objects wait for of which somebody might ask.
func (m *moving) chains() (chains []why.Chain) {
	for _, kind := range m.Store.Kinds().All() {
		if kind.Kind == "Event" || kind.Kind == "Lease" {
			continue
		}
		for _, obj := range m.list(kind.GroupVersionKind, "") {
			chain, there := m.Waits(kind.Kind, strings.TrimPrefix(controlloop.KeyOf(obj).String(), "/"))
			require.True(m.t, there)
			chains = append(chains, chain)
		}
	}
	return chains
}

// looks holds one state, if anything waits in it.
func (m *moving) looks() {
	moves := false
	for _, chain := range m.chains() {
		moves = moves || chain.Reason != why.Nothing
		switch last := len(chain.Links) - 1; chain.Reason {
		case why.Nobody, why.Paused, why.Refused, why.Stopped:
			assert.Fail(m.t, "a false alarm", "%s, of %s: %+v", chain.Reason, chain.Of, chain.Links)
		case why.Queued:
			if lane := chain.Links[last].Of; lane == "loop scheduler" || lane == "loop garbage collector" {
				continue
			}
			if _, key, ok := strings.Cut(chain.Links[last-1].Of, " "); ok {
				m.awaited = append(m.awaited, await{m.newest(), strings.TrimPrefix(chain.Links[last].Of, "loop "), key})
			}
		case why.Time, why.BackOff:
			require.NotNil(m.t, chain.Until, chain.Links)
			m.timed = append(m.timed, chain)
		}
	}
	if moves {
		m.states++
	}
}

func (m *moving) newest() int {
	all := m.Look.Entries()
	return all[len(all)-1].N
}

// comesAbout holds what was said to be queued against what has run since, and sees that
// nothing waits any more.
func (m *moving) comesAbout() {
	all := m.Look.Entries()
	for _, a := range m.awaited {
		assert.True(m.t, slices.ContainsFunc(all, func(e trace.Entry) bool {
			return e.N >= a.since && (e.Do == trace.Run || e.Do == trace.End) && e.Lane == a.lane && e.Key == a.key
		}), "%s was to reconcile %s after %d", a.lane, a.key, a.since)
	}
	m.awaited = nil
	for _, chain := range m.chains() {
		assert.Equal(m.t, why.Nothing, chain.Reason, "at rest, of %s: %+v", chain.Of, chain.Links)
	}
}

// passed asks again what has waited for a time that has passed.
func (m *moving) passed() {
	m.timed = slices.DeleteFunc(m.timed, func(was why.Chain) bool {
		if was.Until.After(time.Now()) {
			return false
		}
		kind, key, _ := strings.Cut(was.Of, " ")
		now, there := m.Waits(kind, key)
		assert.False(m.t, there && reflect.DeepEqual(was, now), "%s has passed: %+v", was.Until, was.Links)
		return true
	})
}
