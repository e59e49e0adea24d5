package apiserver_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (a answer) names() string {
	a.t.Helper()
	var names []string
	for _, pod := range into[metav1.PartialObjectMetadataList](200, a).Items {
		names = append(names, pod.Name)
	}
	return strings.Join(names, " ")
}

// withPods returns an API with Pods of these names, in both namespaces.
func withPods(t testing.TB, names ...string) *api {
	a := newAPI(t)
	for _, name := range names {
		pod := aPod(name)
		pod.Labels = map[string]string{"name": name}
		require.Equal(t, 201, a.post(pods, pod).code)
		require.Equal(t, 201, a.post("/api/v1/namespaces/other/pods", pod).code)
	}
	return a
}

func TestAListHasItsKindItsVersionAndItsItems(t *testing.T) {
	a := newAPI(t)
	assert.JSONEq(t, `{"kind":"PodList","apiVersion":"v1",
		"metadata":{"resourceVersion":"2"},"items":[]}`, a.get(pods).body)
	a.post(pods, aPod("web"))
	got := into[corev1.PodList](200, a.get(pods))
	require.Len(t, got.Items, 1)
	assert.Equal(t, "3", got.ResourceVersion)
	assert.Empty(t, got.Items[0].Kind, "the list says it of all")
}

func TestAListIsSelectedByNamespaceLabelsAndFields(t *testing.T) {
	a := withPods(t, "a", "b", "c")
	for query, want := range map[string]string{
		"":                                    "a b c",
		"?labelSelector=name":                 "a b c",
		"?labelSelector=name%3Db":             "b",
		"?labelSelector=name%20in%20(a,c)":    "a c",
		"?labelSelector=!name":                "",
		"?fieldSelector=metadata.name%3Dc":    "c",
		"?fieldSelector=metadata.name!%3Dc":   "a b",
		"?fieldSelector=status.phase=Pending": "a b c",
		"?fieldSelector=spec.nodeName=x":      "",
		"?fieldSelector=spec.nodeName=":       "a b c",
		"?fieldSelector=metadata.namespace=x": "",
	} {
		assert.Equal(t, want, a.get(pods+query).names(), query)
	}
	assert.Equal(t, "a b c a b c", a.get("/api/v1/pods").names())
	assert.Equal(t, "", a.get("/api/v1/namespaces/none/pods").names())
	a.post("/api/v1/nodes", `{"metadata":{"name":"n"},"spec":{"unschedulable":true}}`)
	a.post("/api/v1/nodes", `{"metadata":{"name":"m"}}`)
	assert.Equal(t, "n", a.get("/api/v1/nodes?fieldSelector=spec.unschedulable=true").names())
	assert.Equal(t, "m", a.get("/api/v1/nodes?fieldSelector=spec.unschedulable=false").names())
	assert.Equal(t, 400, a.get(pods+"?labelSelector=a%20b").code)
}

func TestAListIsReadPageByPage(t *testing.T) {
	a := withPods(t, "a", "b", "c", "d", "e")
	first := into[corev1.PodList](200, a.get(pods+"?limit=2"))
	assert.Len(t, first.Items, 2)
	assert.EqualValues(t, 3, *first.RemainingItemCount)
	second := into[corev1.PodList](200, a.get(next(2, first.Continue)))
	assert.Equal(t, "c", second.Items[0].Name)
	third := into[corev1.PodList](200, a.get(next(2, second.Continue)))
	assert.Equal(t, "e", third.Items[0].Name)
	assert.Empty(t, third.Continue)
	assert.Nil(t, third.RemainingItemCount)

	selected := into[corev1.PodList](200, a.get(pods+"?limit=1&labelSelector=name"))
	assert.NotEmpty(t, selected.Continue)
	assert.Nil(t, selected.RemainingItemCount, "nobody has counted what is selected")
	exact := into[corev1.PodList](200, a.get(pods+"?limit=5"))
	assert.Empty(t, exact.Continue)
	all := into[corev1.PodList](200, a.get(pods+"?limit=2&resourceVersion=0"))
	assert.Len(t, all.Items, 5, "from the cache, a list comes as a whole")
}

func next(limit int, token string) string {
	return fmt.Sprintf("%s?limit=%d&continue=%s", pods, limit, url.QueryEscape(token))
}

func TestPagesShowOneMoment(t *testing.T) {
	a := withPods(t, "a", "b", "c", "d")
	first := into[corev1.PodList](200, a.get(pods+"?limit=2"))
	a.delete(pods+"/c", nil)
	a.post(pods, aPod("cc"))
	a.patch(pods+"/d", merge, `{"metadata":{"labels":{"new":"label"}}}`)
	rest := into[corev1.PodList](200, a.get(next(5, first.Continue)))
	require.Len(t, rest.Items, 2)
	assert.Equal(t, "c d", rest.Items[0].Name+" "+rest.Items[1].Name)
	assert.NotContains(t, rest.Items[1].Labels, "new")
	assert.Equal(t, first.ResourceVersion, rest.ResourceVersion)
	assert.Equal(t, rest.Items, into[corev1.PodList](200,
		a.get(next(5, first.Continue))).Items, "a page can be asked for again")
}

func TestAPageThatWaitedTooLongIsExpiredButCanBeGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withPods(t, "a", "b", "c", "d")
		first := into[corev1.PodList](200, a.get(pods+"?limit=2"))
		time.Sleep(6 * time.Minute)
		a.post(pods, aPod("cc"))
		got := a.get(next(5, first.Continue))
		assert.Equal(t, 410, got.code)
		status := got.refusal()
		assert.Equal(t, metav1.StatusReasonExpired, status.Reason)
		assert.Contains(t, status.Message, "The provided continue parameter is too old")
		assert.Equal(t, "c cc d", a.get(next(5, status.Continue)).names())
	})
}

// A list that goes on after it expired begins in the middle. One that began at
// the same version and was read from its start must not be mistaken for it.
func TestAPageOfAListIsNotTakenForTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withPods(t, "a", "b", "c", "d", "e", "f")
		first := into[corev1.PodList](200, a.get(pods+"?limit=3"))
		time.Sleep(6 * time.Minute)
		status := a.get(next(1, first.Continue)).refusal()
		assert.Equal(t, "d", a.get(next(1, status.Continue)).names())
		fresh := into[corev1.PodList](200, a.get(pods+"?limit=1"))
		assert.Equal(t, "b c d e f", a.get(next(9, fresh.Continue)).names())
	})
}

func TestATokenIsForTheListItCameFrom(t *testing.T) {
	a := withPods(t, "a", "b", "c", "d")
	first := into[corev1.PodList](200, a.get(pods+"?limit=2"))
	token := "continue=" + url.QueryEscape(first.Continue)
	assert.Equal(t, 410, a.get(pods+"?labelSelector=name&"+token).code)
	assert.Equal(t, 410, a.get("/api/v1/namespaces/other/pods?"+token).code)
	assert.Equal(t, 410, a.get("/api/v1/pods?"+token).code)
	assert.Equal(t, 400, a.get(pods+"?resourceVersion=5&"+token).code)
}

func TestOnlySoManyListsAreKept(t *testing.T) {
	a := withPods(t, "a", "b")
	first := into[corev1.PodList](200, a.get(pods+"?limit=1"))
	for i := range 1_030 {
		a.get(fmt.Sprintf("%s?limit=1&labelSelector=x%d!%%3Dy", pods, i))
	}
	assert.Equal(t, 410, a.get(next(1, first.Continue)).code)
}

func TestAPageThatIsAskedForAgainTakesNoRoom(t *testing.T) {
	a := withPods(t, "a", "b")
	first := into[corev1.PodList](200, a.get(pods+"?limit=1"))
	for range 1_030 {
		a.get("/api/v1/pods?limit=1")
	}
	assert.Equal(t, "b", a.get(next(1, first.Continue)).names())
}

func TestAListIsNotOlderThanAskedFor(t *testing.T) {
	a := withPods(t, "a")
	assert.Equal(t, "a", a.get(pods+"?resourceVersion=0").names())
	assert.Equal(t, "a", a.get(pods+"?resourceVersion=1").names())
	assert.Equal(t, "a", a.get(pods+"?resourceVersion=4").names())
	assert.Equal(t, "a", a.get(
		pods+"?resourceVersion=4&resourceVersionMatch=Exact").names())
	assert.Equal(t, 504, a.get(pods+"?resourceVersion=5").code)
}
