package daemonset_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// A set of one goes through four versions, back and forth, and remembers two
// beside the one that it has: exercise 6.9.
func TestRunNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		images := controlloop.Images{}
		for _, version := range []string{"v1", "v2", "v3", "v4"} {
			images[version] = controlloop.Nginx
		}
		c := kubetest.New(t, kubetest.Setup{
			Kinds: controlloop.CoreKinds().With(statefulset.Kinds()...).
				With(storage.Kinds()...).With(daemonset.Kinds()...),
			Controllers: []kubetest.Controller{daemonset.NewStatefulSets},
			Nodes:       1, Images: images,
		})
		var log bytes.Buffer
		set := numbered()
		kubetest.Create(c, set)
		c.Advance(time.Minute)
		fmt.Fprintf(&log, "create v1  %s\n", revisions(c))
		for _, what := range []string{
			"edit v2", "edit v3", "undo", "undo", "edit v1", "edit v4", "undo",
		} {
			kubetest.Edit(c, set, func(set *appsv1.StatefulSet) {
				set.Spec.Template.Spec.Containers[0].Image = imageOf(c, what)
			})
			c.Advance(2 * time.Minute)
			fmt.Fprintf(&log, "%-9s  %s\n", what, revisions(c))
		}
		kubetest.Recorded(t, "../exercises/6.9.txt", log.Bytes())
	})
}

func numbered() *appsv1.StatefulSet {
	labels := map[string]string{"app": "web"}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: metav1.NamespaceDefault, Name: "web",
	}}
	set.Spec.Replicas, set.Spec.RevisionHistoryLimit = new(int32(1)), new(int32(2))
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	set.Spec.Template.Labels = labels
	set.Spec.Template.Spec.Containers = []corev1.Container{
		kubetest.Container("web", "v1"),
	}
	return set
}

// imageOf is what is edited in; to undo is to take what has the second highest
// number.
func imageOf(c *kubetest.Cluster, what string) string {
	if image, ok := strings.CutPrefix(what, "edit "); ok {
		return image
	}
	all := byRevision(c)
	return imageIn(all[len(all)-2])
}

func byRevision(c *kubetest.Cluster) []*appsv1.ControllerRevision {
	all := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)
	slices.SortFunc(all, func(a, b *appsv1.ControllerRevision) int {
		return int(a.Revision - b.Revision)
	})
	return all
}

func imageIn(r *appsv1.ControllerRevision) string {
	_, rest, _ := strings.Cut(string(r.Data.Raw), `"image":"`)
	image, _, _ := strings.Cut(rest, `"`)
	return image
}

// revisions are all there are, by number.
func revisions(c *kubetest.Cluster) string {
	var all []string
	for _, r := range byRevision(c) {
		all = append(all, fmt.Sprintf("%d:%s", r.Revision, imageIn(r)))
	}
	return strings.Join(all, " ")
}
