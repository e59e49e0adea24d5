package daemonset_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// The names are those that Kubernetes' own controllers give (judges/stories
// compares the rest of it).
func TestARevisionHasTheNameThatKubernetesGivesIt(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(*corev1.PodTemplateSpec)
		ofSet, ofD string
	}{
		"little": {func(*corev1.PodTemplateSpec) {}, "web-799f7ff7c4", "web-5669f7dd7f"},
		"a note": {func(p *corev1.PodTemplateSpec) {
			p.Annotations = map[string]string{"note": "a < b && c > d \u2028"}
		}, "web-75f7d4457", "web-6585f48758"},
		"a probe, an environment and a share of a node": {func(p *corev1.PodTemplateSpec) {
			c := &p.Spec.Containers[0]
			c.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromString("http"))
			c.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B"}}
			c.Resources.Requests = corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("500m"),
				corev1.ResourceMemory: resource.MustParse("1Gi"),
			}
		}, "web-58d646fd69", "web-75d4644fb7"},
	} {
		set := aSet(1)
		c.change(&set.Spec.Template)
		controlloop.DefaultPodTemplate(&set.Spec.Template)
		r, err := daemonset.HistoryOfStatefulSets(&controlloop.System{}).
			NewRevision(set, &set.Spec.Template, 1)
		require.NoError(t, err)
		assert.Equal(t, c.ofSet, r.Name, name)
		ds := &appsv1.DaemonSet{ObjectMeta: set.ObjectMeta}
		r, err = daemonset.HistoryOfDaemonSets(&controlloop.System{}).
			NewRevision(ds, &set.Spec.Template, 1)
		require.NoError(t, err)
		assert.Equal(t, c.ofD, r.Name, name)
	}
}

func TestARevisionIsAPatchThatReplacesTheTemplate(t *testing.T) {
	set := aSet(1)
	set.Annotations = map[string]string{"kubernetes.io/change-cause": "the first"}
	set.Spec.Template.Labels = map[string]string{"app": "web", "controller.kubernetes.io/hash": "mine"}
	set.UID = "one"
	r, err := daemonset.HistoryOfStatefulSets(&controlloop.System{}).
		NewRevision(set, &set.Spec.Template, 7)
	require.NoError(t, err)
	assert.JSONEq(t, `{"spec":{"template":{"$patch":"replace",
		"metadata":{"labels":{"app":"web","controller.kubernetes.io/hash":"mine"}},
		"spec":{"containers":[{"name":"web","image":"web:v1","resources":{}}]}}}}`,
		string(r.Data.Raw))
	hash := strings.TrimPrefix(r.Name, "web-")
	assert.Equal(t, map[string]string{"app": "web", "controller.kubernetes.io/hash": hash},
		r.Labels, "a label of the template hides the hash")
	assert.Equal(t, set.Annotations, r.Annotations)
	assert.EqualValues(t, 7, r.Revision)
	assert.True(t, metav1.IsControlledBy(r, set))

	template, err := daemonset.TemplateOf(r)
	require.NoError(t, err)
	assert.Equal(t, &set.Spec.Template, template)

	r.Data.Raw = []byte(`{"spec":`)
	_, err = daemonset.TemplateOf(r)
	assert.ErrorContains(t, err, "data of revision "+r.Name)
}

func TestTheNameOfARevisionHasRoomForItsHash(t *testing.T) {
	set := aSet(1)
	set.Name = strings.Repeat("w", 253)
	r, err := daemonset.HistoryOfStatefulSets(&controlloop.System{}).
		NewRevision(set, &set.Spec.Template, 1)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(r.Name, strings.Repeat("w", 223)+"-"), r.Name)
	assert.LessOrEqual(t, len(r.Name), 253)
}

// numberedAs are revisions that say no more than a word, "1:one 2:two".
func numberedAs(text string) (all []*appsv1.ControllerRevision) {
	for word := range strings.FieldsSeq(text) {
		number, data, _ := strings.Cut(word, ":")
		r := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: []byte(data)}}
		r.Name = word
		if _, err := fmt.Sscan(number, &r.Revision); err != nil {
			panic(err)
		}
		all = append(all, r)
	}
	return all
}

type lookUpCase struct {
	all, now string
	same     string
	number   int64
}

func looksUp(t *testing.T, cases map[string]lookUpCase) {
	t.Helper()
	for name, c := range cases {
		same, number := daemonset.LookUp(numberedAs(c.all), []byte(c.now))
		found := "none"
		if same != nil {
			found = same.Name
		}
		assert.Equal(t, c.same, found, name)
		assert.Equal(t, c.number, number, "%s: which number it is to have", name)
	}
}

// What has not been there gets the next number, also where some are missing.
//
//book:exercise 6h
func TestWhatIsNewGetsTheNextNumber(t *testing.T) {
	looksUp(t, map[string]lookUpCase{
		"the first of all":         {"", "a", "none", 1},
		"the third":                {"1:a 2:b", "c", "none", 3},
		"some have been forgotten": {"4:a 9:b", "c", "none", 10},
	})
}

// Nothing has changed: no number is given, or there would be one for each look.
//
//book:exercise 6h
func TestWhatIsNewestKeepsItsNumber(t *testing.T) {
	looksUp(t, map[string]lookUpCase{
		"the only one":          {"1:a", "a", "1:a", 1},
		"the second":            {"1:a 2:b", "b", "2:b", 2},
		"others were forgotten": {"3:a 8:b", "b", "8:b", 8},
	})
}

// Going back is going forward.
//
//book:exercise 6h
func TestWhatComesBackGetsTheNextNumber(t *testing.T) {
	looksUp(t, map[string]lookUpCase{
		"to the one before": {"1:a 2:b", "a", "1:a", 3},
		"to the first":      {"1:a 2:b 3:c", "a", "1:a", 4},
		"to the second":     {"1:a 2:b 3:c", "b", "2:b", 4},
		"after a gap":       {"2:a 7:b", "a", "2:a", 8},
	})
}

// Two may say the same: the newest of them is meant. And two may have one number,
// if a hand has made them: then neither of them is the newest.
//
//book:exercise 6h
func TestOfTwoThatAreAlikeTheNewestIsMeant(t *testing.T) {
	looksUp(t, map[string]lookUpCase{
		"both before the newest":                 {"1:a 2:a 3:b", "a", "2:a", 4},
		"one of them is the newest":              {"1:a 2:b 3:a", "a", "3:a", 3},
		"they are the newest":                    {"1:b 2:a 3:a", "a", "3:a", 3},
		"they are the newest, with one number":   {"1:b 3:a 3:a", "a", "3:a", 3},
		"two others have one number":             {"1:a 3:b 3:c", "a", "1:a", 4},
		"with the number of another, the first":  {"1:a 1:b", "a", "1:a", 2},
		"with the number of another, the second": {"1:a 1:b", "b", "1:b", 2},
	})
}

func TestEachVersionIsRememberedAndGoingBackIsGoingForward(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(2))
		restSets(c)
		require.Equal(t, "1:v1", setHistory(c))
		first := revisionsThereAre(c)[0]
		for _, step := range []struct{ version, want string }{
			{"v2", "1:v1 2:v2"}, {"v1", "2:v2 3:v1"}, {"v3", "2:v2 3:v1 4:v3"},
			{"v1", "2:v2 4:v3 5:v1"}, {"v1", "2:v2 4:v3 5:v1"},
		} {
			editSet(c, ofVersion(step.version))
			restSets(c)
			assert.Equal(t, step.want, setHistory(c), "then %s", step.version)
			assert.Equal(t, step.version+" "+step.version, setPods(c))
			assert.Equal(t, step.version+" "+step.version, betweenVersions(c))
		}
		now := kubetest.Get(c, first)
		assert.Equal(t, first.UID, now.UID, "it is the same one, with another number")
		assert.Equal(t, first.Data, now.Data)
	})
}

// A cache that is late has not heard of what was made a moment ago: the store
// has, and is asked before a number is given.
func TestALateCacheGivesNoNumberTwice(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(0))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		h := daemonset.HistoryOfStatefulSets(&controlloop.System{Client: c.Store})
		for n, step := range []struct{ version, want string }{
			{"v2", "1:v1 2:v2"}, {"v1", "2:v2 3:v1"}, {"v3", "2:v2 3:v1 4:v3"},
		} {
			set := controlloop.Copy(kubetest.Get(c, aSet(0)))
			ofVersion(step.version)(set)
			set.Generation += int64(n) + 1
			r, err := h.Now(t.Context(), set, &set.Spec.Template, nil)
			require.NoError(t, err)
			assert.Equal(t, step.version, versionIn(r))
			assert.Equal(t, step.want, setHistory(c), "the cache knows of none, and now it is %s", step.version)
		}
	})
}

func TestANameThatIsTakenIsCountedAndAnotherFound(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, &appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-799f7ff7c4", Namespace: metav1.NamespaceDefault,
			},
			Data: runtime.RawExtension{Raw: []byte(`{"spec":{"template":{}}}`)},
		})
		kubetest.Create(c, aSet(1))
		restSets(c)
		set := kubetest.Get(c, aSet(0))
		assert.EqualValues(t, 1, *set.Status.CollisionCount)
		assert.Equal(t, "web-799f7ff7c5", set.Status.UpdateRevision)
		assert.Equal(t, "v1", setPods(c))
		assert.Equal(t, "0:? 1:v1", setHistory(c))
	})
}

// What says the same under the same name is what was wanted, whoever has made it.
func TestANameThatIsTakenByTheSameIsNoCollision(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(1))
		restSets(c)
		other := controlloop.Copy(revisionsThereAre(c)[0])
		require.NoError(t, c.Store.Delete(t.Context(), statefulset.StatefulSetKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		kubetest.Create(c, aSet(1))
		restSets(c)
		set := kubetest.Get(c, aSet(0))
		assert.EqualValues(t, 0, *set.Status.CollisionCount)
		assert.Equal(t, other.Name, set.Status.UpdateRevision)
		assert.Equal(t, "v1", setPods(c))
		// The collector takes what its owner has left behind.
		forgetByHand(c, other)
		restSets(c)
		require.Len(t, revisionsThereAre(c), 1)
		assert.True(t, metav1.IsControlledBy(revisionsThereAre(c)[0], set), "it is written again")
	})
}

func TestRevisionsThatNobodyHasAreAdopted(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(0))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		for _, r := range revisionsThereAre(c) {
			kubetest.Edit(c, r, func(r *appsv1.ControllerRevision) { r.OwnerReferences = nil })
		}
		stranger := controlloop.Copy(revisionsThereAre(c)[0])
		stranger.Name, stranger.ResourceVersion, stranger.UID = "stranger", "", ""
		stranger.Labels = map[string]string{"app": "db"}
		kubetest.Create(c, stranger)
		restSets(c)
		set := kubetest.Get(c, aSet(0))
		for _, r := range revisionsThereAre(c) {
			assert.Equal(t, r.Name != "stranger", metav1.IsControlledBy(r, set), r.Name)
		}
		editSet(c, ofVersion("v1"))
		restSets(c)
		assert.Contains(t, setHistory(c), "2:v2 3:v1", "what was adopted is history")
	})
}

func TestWhatNobodyUsesIsForgottenBeyondTheLimit(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(1, remembering(2)))
		for n := 1; n <= 5; n++ {
			editSet(c, ofVersion(fmt.Sprintf("v%d", n)))
			restSets(c)
		}
		assert.Equal(t, "3:v3 4:v4 5:v5", setHistory(c), "two, and the one that is used")
		editSet(c, remembering(0))
		restSets(c)
		assert.Equal(t, "5:v5", setHistory(c))
		editSet(c, remembering(-1))
		for n := 6; n <= 9; n++ {
			editSet(c, ofVersion(fmt.Sprintf("v%d", n)))
			restSets(c)
		}
		assert.Equal(t, "5:v5 6:v6 7:v7 8:v8 9:v9", setHistory(c), "below zero is no limit")
	})
}

func TestWhatAPodIsOfIsNotForgotten(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, byDeletion, remembering(0)))
		restSets(c)
		for n, name := range []string{"web-1", "web-2"} {
			editSet(c, ofVersion(fmt.Sprintf("v%d", n+2)))
			deleteByHand(c, name)
			restSets(c)
		}
		require.Equal(t, "v1 v2 v3", setPods(c))
		assert.Equal(t, "1:v1 2:v2 3:v3", setHistory(c))
		deleteByHand(c, "web-1")
		restSets(c)
		assert.Equal(t, "1:v1 3:v3", setHistory(c), "the last of v2 is gone")
	})
}

// It goes as it was when it was looked at. One of its name that has come since
// is another.
func TestOnlyWhatWasLookedAtIsForgotten(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(0))
		restSets(c)
		h := daemonset.HistoryOfStatefulSets(&controlloop.System{Client: c.Store})
		old := controlloop.Copy(revisionsThereAre(c)[0])
		old.UID = "another"
		all := []*appsv1.ControllerRevision{old}
		assert.Error(t, h.Drop(t.Context(), all, 1))
		assert.NoError(t, h.Drop(t.Context(), all, 0))
		assert.NoError(t, h.Drop(t.Context(), all, -3))
		assert.Len(t, revisionsThereAre(c), 1)
		all[0] = kubetest.Edit(c, revisionsThereAre(c)[0], handled[*appsv1.ControllerRevision])
		assert.NoError(t, h.Drop(t.Context(), all, 7))
		assert.NoError(t, h.Drop(t.Context(), all, 1), "it is gone already")
		assert.Empty(t, revisionsThereAre(c))
	})
}

// A revision is what a user can read: kubectl shows its data.
func TestWhatARevisionRemembersIsReadByKubectl(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(0))
		restSets(c)
		var set appsv1.StatefulSet
		require.NoError(t, json.Unmarshal(revisionsThereAre(c)[0].Data.Raw, &set))
		assert.Equal(t, kubetest.Get(c, aSet(0)).Spec.Template, set.Spec.Template)
	})
}

func TestWhatATemplateComesToIsForgottenWithItsOwner(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		h := daemonset.HistoryOfStatefulSets(c.System)
		stored := kubetest.Create(c, aSet(0))
		c.Settle()
		_, err := h.Now(t.Context(), stored, &stored.Spec.Template, revisionsThereAre(c))
		require.NoError(t, err)
		require.Equal(t, 1, h.Remembered())
		require.NoError(t, c.Store.Delete(t.Context(), statefulset.StatefulSetKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.Settle()
		assert.Zero(t, h.Remembered())
	})
}

// A template is made into bytes once for each generation of its owner: another
// template is another generation.
func TestATemplateIsReadAgainWhenItsOwnerHasChanged(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		h := daemonset.HistoryOfStatefulSets(c.System)
		set := kubetest.Create(c, aSet(0))
		c.Settle()
		all := revisionsThereAre(c)
		for _, c := range []struct {
			generation       int64
			template, wanted string
		}{{1, "v1", "v1"}, {1, "v2", "v1"}, {2, "v2", "v2"}} {
			set = controlloop.Copy(set)
			set.Generation = c.generation
			ofVersion(c.template)(set)
			r, err := h.Now(t.Context(), set, &set.Spec.Template, all)
			require.NoError(t, err)
			assert.Equal(t, c.wanted, versionIn(r), "generation %d", c.generation)
		}
	})
}

func TestTheNumbersOfOneAreNoBusinessOfAnother(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		for n := 1; n <= 3; n++ {
			kubetest.Create(c, aSet(0, func(set *appsv1.StatefulSet) {
				set.Name = fmt.Sprintf("set-%d", n)
				set.Spec.Selector.MatchLabels = map[string]string{"app": set.Name}
				set.Spec.Template.Labels = set.Spec.Selector.MatchLabels
			}))
		}
		restSets(c)
		assert.Equal(t, "1:v1 1:v1 1:v1", setHistory(c))
	})
}
