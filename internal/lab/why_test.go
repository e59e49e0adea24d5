package lab_test

import (
	"math/rand/v2"
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/lab"
	"reconcile/internal/lab/snapshot"
	"reconcile/internal/look"
	"reconcile/internal/look/why"
)

// moving is a cluster in which nothing is wrong, one step at a time.
type moving struct {
	fixture
	rand    *rand.Rand
	states  int
	awaited []await
}

// await is a reconcile that was said to come after an entry.
type await struct {
	since     int
	lane, key string
}

var (
	deploymentKind  = appsv1.SchemeGroupVersion.WithKind("Deployment")
	statefulSetKind = appsv1.SchemeGroupVersion.WithKind("StatefulSet")
)

// TestWhatMovesWaitsForNothingThatNeedsSomebody looks at 200 states between the steps of
// clusters in which all is well: no chain says that nobody will act, that something is
// paused, refused or stopped, and what is said to be queued, or to wait for a time, comes
// about.
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
			for _, chain := range m.chains() {
				assert.Equal(t, why.Nothing, chain.Reason, "at rest, of %s: %+v", chain.Of, chain.Links)
			}
			states += m.states
		})
	}
	t.Logf("%d states", states)
}

func (m *moving) doings() []func() {
	meta := metav1.ObjectMeta{Namespace: "default", Name: "web"}
	labels := map[string]string{"app": "web"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", "").Spec}
	image := func(kind schema.GroupVersionKind, name, image string) {
		obj, err := m.Store.Get(m.t.Context(), kind, controlloop.Key{Namespace: "default", Name: name})
		require.NoError(m.t, err)
		switch obj := obj.DeepCopyObject().(type) {
		case *appsv1.Deployment:
			obj.Spec.Template.Spec.Containers[0].Image = image
			obj.Spec.Replicas = new(1 + m.rand.Int32N(4))
			m.update(obj)
		case *appsv1.StatefulSet:
			obj.Spec.Template.Spec.Containers[0].Image = image
			obj.Spec.Replicas = new(m.rand.Int32N(4))
			m.update(obj)
		}
	}
	return []func(){
		func() {
			m.create(&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
				Replicas: new(int32(4)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template, MinReadySeconds: m.rand.Int32N(10),
			}})
		},
		func() {
			m.create(&corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}})
			m.create(&policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels}, MinAvailable: new(intstr.FromInt32(0)),
			}})
			all := template
			all.Labels = map[string]string{"app": "agent"}
			m.create(&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: all.Labels}, Template: all, MinReadySeconds: m.rand.Int32N(10),
			}})
		},
		func() { image(deploymentKind, "web", "nginx:1.28") },
		func() {
			other := template
			other.Labels = map[string]string{"app": "db"}
			m.create(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "db"}, Spec: appsv1.StatefulSetSpec{
				Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: other.Labels}, Template: other, ServiceName: "db",
				VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claimSpec()}},
			}})
		},
		func() {
			for _, p := range m.pods("default") {
				if m.rand.IntN(2) == 0 {
					m.delete(controlloop.PodKind, "default", p.Name)
				}
			}
		},
		func() { image(statefulSetKind, "db", "nginx:1.28") },
		func() {
			m.delete(deploymentKind, "default", "web")
			m.delete(rollingupdate.ServiceKind, "default", "web")
		},
	}
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
			assert.True(m.t, chain.Until.After(time.Now()), "%+v until %s", chain.Links, chain.Until)
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

// comesAbout holds what was said to be queued against what has run since.
func (m *moving) comesAbout() {
	all := m.Look.Entries()
	for _, a := range m.awaited {
		assert.True(m.t, slices.ContainsFunc(all, func(e look.Entry) bool {
			return e.N >= a.since && (e.Do == look.Run || e.Do == look.End) && e.Lane == a.lane && e.Key == a.key
		}), "%s was to reconcile %s after %d", a.lane, a.key, a.since)
	}
	m.awaited = nil
}

func TestACacheThatIsLateIsWaitedFor(t *testing.T) {
	looking(t, func(f fixture) {
		_, err := f.Do(look.Verb{Name: "late", Of: "deployment", For: time.Hour})
		require.NoError(t, err)
		f.typed(threeOfWeb)
		chain, err := f.Why("deploy/web", "")
		require.NoError(t, err)
		assert.Equal(t, why.Behind, chain.Reason, chain.Links)
		assert.Equal(t, "lab loop late Deployment 0", chain.Remedy)
		_, err = f.Do(look.Verb{Name: "late", Of: "Deployment"})
		require.NoError(t, err)
		pass(time.Minute)
		chain, err = f.Why("deploy/web", "")
		require.NoError(t, err)
		assert.Equal(t, why.Nothing, chain.Reason, chain.Links)
	})
}

func TestAControllerThatIsNotThereIsWaitedForUntilItIs(t *testing.T) {
	var state snapshot.State
	for _, controllers := range [][]string{{"*", "-replicaset"}, {"*"}} {
		opts := lab.Options{Nodes: 1, Controllers: controllers}
		if state.Version > 0 {
			opts.State = &state
		}
		running(t, opts, func(f fixture) {
			f.Look.Begin()
			if state.Version == 0 {
				f.typed(threeOfWeb)
			}
			pass(time.Minute)
			chain, err := f.Why("deployments/web", "")
			require.NoError(t, err)
			if opts.State != nil {
				assert.Equal(t, why.Nothing, chain.Reason, chain.Links)
				return
			}
			assert.Equal(t, why.Nobody, chain.Reason)
			assert.Equal(t, "loop replicaset", chain.Links[len(chain.Links)-1].Of)
			assert.Contains(t, chain.Links[len(chain.Links)-1].Says, "isn't there")
			for _, kind := range f.Store.Kinds().All() {
				state.Objects = append(state.Objects, f.list(kind.GroupVersionKind, "")...)
			}
			state.Version = 10_000
		})
	}
}

func TestWhyOfWhatThereIsNot(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		chain, err := f.Why("nodes/node-1", "")
		require.NoError(t, err)
		assert.Equal(t, why.Nothing, chain.Reason)
		_, err = f.Why("deployments.apps/web", "")
		assert.ErrorContains(t, err, "there is no Deployment default/web", "as kubectl get -o name has it")
		for of, says := range map[string]string{
			"web":      "Say a kind and a name: deployment/web",
			"pod/web":  "there is no Pod default/web",
			"pot/web":  `there is no kind "pot" here`,
			"node/one": "there is no Node one",
		} {
			_, err := f.Why(of, "")
			assert.ErrorContains(t, err, says)
		}
	})
}
