package deployment_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// owned is an object as the figure draws it.
type owned struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	UID    string `json:"uid"`
	Note   string `json:"note"`
	Owner  string `json:"owner,omitempty"`
	Blocks bool   `json:"blocks,omitempty"`
	Gone   int    `json:"gone"`
}

func short(uid any) string { return fmt.Sprint(uid)[:8] }

// describe returns what the figure says of an object; gone lists those that are
// gone.
func describe(obj controlloop.Object, gone []string) owned {
	o := owned{
		Kind: obj.GetObjectKind().GroupVersionKind().Kind,
		Name: obj.GetName(), UID: short(obj.GetUID()),
		Gone: 1 + slices.Index(gone, obj.GetName()),
	}
	for _, ref := range obj.GetOwnerReferences() {
		o.Owner = short(ref.UID)
		o.Blocks = ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
	}
	switch obj := obj.(type) {
	case *appsv1.Deployment:
		o.Note = fmt.Sprintf("wants %d", *obj.Spec.Replicas)
	case *appsv1.ReplicaSet:
		o.Note = fmt.Sprintf("%s, wants %d",
			obj.Spec.Template.Spec.Containers[0].Image, *obj.Spec.Replicas)
	case *corev1.Pod:
		o.Note = string(obj.Status.Phase)
	}
	return o
}

// A Deployment after an update, with a Pod of the old template that has failed
// and was left to be looked at; and its deletion in the foreground.
func TestRunOfWhoOwnsWhom(t *testing.T) {
	setup := everything
	setup.Images = simulated.Images{"nginx:1.28": simulated.Nginx}
	in(t, setup, func(c *kubetest.Cluster) {
		data, err := os.ReadFile("manifests/nginx-deployment.yaml")
		require.NoError(t, err)
		objs := kubetest.Objects(t, kinds(), string(data))
		d := kubetest.Create(c, objs[0].(*appsv1.Deployment))
		c.Advance(5 * time.Second)
		setStatus(t, c, c.Pods()[0], func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		c.Advance(5 * time.Second)
		setImage(c, d, "nginx:1.28")
		c.Advance(5 * time.Second)
		all := []controlloop.Object{kubetest.Get(c, d)}
		rss := sets(c)
		slices.SortFunc(rss, func(a, b *appsv1.ReplicaSet) int {
			return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
		})
		for _, rs := range rss {
			all = append(all, rs)
			for _, pod := range c.Pods() {
				if pod.OwnerReferences[0].UID == rs.UID {
					all = append(all, pod)
				}
			}
		}
		require.Len(t, all, 7)

		before := len(gone(c))
		remove(t, c, d, foreground)
		c.Advance(time.Minute)
		order := gone(c)[before:]
		require.Len(t, order, 7)
		assert.Empty(t, kubetest.All[*appsv1.Deployment](c, deployment.DeploymentKind))

		record := struct {
			Title   string  `json:"title"`
			Objects []owned `json:"objects"`
		}{Title: "Who owns whom"}
		for _, obj := range all {
			record.Objects = append(record.Objects, describe(obj, order))
		}
		kubetest.RecordedJSON(t, "owners.json", record)
	})
}
