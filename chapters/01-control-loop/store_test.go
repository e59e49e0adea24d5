package controlloop_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// written returns a store of the core kinds, and the writes to it.
func written(options ...controlloop.Option) (
	*controlloop.Store, *[]controlloop.Write,
) {
	var writes []controlloop.Write
	options = append(options, controlloop.OnWrite(func(w controlloop.Write) {
		writes = append(writes, w)
	}))
	return controlloop.NewStore(controlloop.CoreKinds(), options...), &writes
}

func mustUpdateStatus[T controlloop.Object](t *testing.T, s *controlloop.Store, obj T) T {
	t.Helper()
	stored, err := s.UpdateStatus(t.Context(), obj)
	require.NoError(t, err)
	return stored.(T)
}

// nginxPod returns a Pod of one nginx container.
func nginxPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
		},
	}
}

// edited returns a copy of obj with a change.
func edited[T controlloop.Object](obj T, change func(T)) T {
	next := controlloop.Copy(obj)
	change(next)
	return next
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func settings(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func version(t *testing.T, obj controlloop.Object) int {
	t.Helper()
	v, err := strconv.Atoi(obj.GetResourceVersion())
	require.NoError(t, err)
	return v
}

func TestEveryWriteOfAnyKindGetsTheNextVersion(t *testing.T) {
	s, writes := written()
	pod := mustCreate(t, s, kubetest.Pod("web"))
	mustCreate(t, s, settings("settings"))
	rc := mustCreate(t, s, kubetest.ReplicationController("web", 1))
	mustUpdate(t, s, edited(pod, func(p *corev1.Pod) { p.Labels = nil }))
	mustUpdateStatus(t, s, edited(rc, func(rc *corev1.ReplicationController) {
		rc.Status.Replicas = 1
	}))
	require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
		kubetest.Named("web"), metav1.DeleteOptions{}))
	require.Len(t, *writes, 6)
	for i, w := range *writes {
		assert.Equal(t, i+1, version(t, w.Object), "%s %s", w.Type, w.Object.GetName())
	}
	list, err := s.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, "6", list.ResourceVersion, "a list says when it was true")
	assert.Empty(t, list.Items)
}

func TestCreateFillsInWhatOnlyTheStoreCanKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := written()
		time.Sleep(90 * time.Second)
		given := kubetest.Pod("web")
		given.UID, given.Generation = "mine", 7
		given.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
		given.DeletionTimestamp = new(metav1.Now())
		given.Status.Phase = corev1.PodRunning
		pod := mustCreate(t, s, given)
		other := mustCreate(t, s, kubetest.Pod("other"))

		assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, pod.UID)
		assert.NotEqual(t, pod.UID, other.UID)
		assert.True(t, pod.CreationTimestamp.Time.Equal(time.Now()))
		assert.Nil(t, pod.DeletionTimestamp)
		assert.EqualValues(t, 1, pod.Generation)
		assert.Equal(t, corev1.PodPending, pod.Status.Phase, "only the kubelet knows better")
		assert.Equal(t, "default", pod.Namespace)
		assert.Equal(t, controlloop.PodKind, pod.GroupVersionKind())
		assert.EqualValues(t, "mine", given.UID, "what was handed in is the caller's")
	})
}

func TestGeneratedNamesAreFiveLettersOfKubernetesAlphabet(t *testing.T) {
	s, _ := written()
	seen := map[string]bool{}
	for range 200 {
		pod := kubetest.Pod("")
		pod.GenerateName = "web-"
		name := mustCreate(t, s, pod).Name
		assert.Regexp(t, `^web-[bcdfghjklmnpqrstvwxz2456789]{5}$`, name)
		assert.False(t, seen[name], "%s was given out twice", name)
		seen[name] = true
	}
	long := kubetest.Pod("")
	long.GenerateName = strings.Repeat("x", 70)
	assert.Len(t, mustCreate(t, s, long).Name, 63, "a name has to fit into a host's")
}

func TestAGeneratedNameThatIsTakenIsTriedAgain(t *testing.T) {
	// The second store starts from the same seed, so its first try is the first
	// store's name: but here that name is taken already.
	generated := func() *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"}}
	}
	s, _ := written(controlloop.WithSeed(1))
	first := mustCreate(t, s, generated()).Name

	s, _ = written(controlloop.WithSeed(2))
	mustCreate(t, s, settings(first))
	controlloop.WithSeed(1)(s)
	second := mustCreate(t, s, generated()).Name
	assert.NotEqual(t, first, second)
	assert.Regexp(t, `^c-[a-z2-9]{5}$`, second)
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	run := func(seed uint64) string {
		var log strings.Builder
		synctest.Test(t, func(t *testing.T) {
			s, writes := written(controlloop.WithSeed(seed))
			for range 20 {
				pod := kubetest.Pod("")
				pod.GenerateName = "web-"
				mustCreate(t, s, pod)
			}
			for _, w := range *writes {
				fmt.Fprintln(&log, w.Type, asJSON(t, w.Object))
			}
		})
		return log.String()
	}
	assert.Equal(t, run(1), run(1))
	assert.NotEqual(t, run(1), run(2))
}

func TestOnWriteIsToldOldAndNew(t *testing.T) {
	s, writes := written()
	was := mustCreate(t, s, settings("settings"))
	now := mustUpdate(t, s, edited(was, func(m *corev1.ConfigMap) {
		m.Data = map[string]string{"a": "b"}
	}))
	require.NoError(t, s.Delete(t.Context(), was.GroupVersionKind(),
		kubetest.Named("settings"), metav1.DeleteOptions{}))
	require.Len(t, *writes, 3)
	assert.Equal(t, controlloop.Write{Type: watch.Added, Object: was}, (*writes)[0])
	assert.Equal(t, controlloop.Write{Type: watch.Modified, Object: now, Old: was}, (*writes)[1])
	assert.Equal(t, watch.Deleted, (*writes)[2].Type)
	assert.Same(t, now, (*writes)[2].Old)
}
