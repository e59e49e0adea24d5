package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// asked answers the question whether an owner may adopt in a way of its own.
type asked struct {
	controlloop.Client
	answer func(stored controlloop.Object, err error) (controlloop.Object, error)
}

func (a asked) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	return a.answer(a.Client.Get(ctx, kind, key))
}

// A ReplicaSet is deleted and leaves a Pod behind; its controller, whose cache
// is late, still has it, and finds an orphan. What becomes of the Pod depends on
// what is asked before it is adopted.
func TestRunOfAnAdoptionInTheNameOfTheDead(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-28s %-23s %s\n", "asked before adopting", "web is deleted", "and made again")
	for _, way := range []string{"nothing", "the store, for the name", "the store, for name and uid"} {
		var fates [2]string
		for i, again := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { fates[i] = fateOfAnOrphan(t, way, again) })
		}
		fmt.Fprintf(&out, "%-28s %-23s %s\n", way, fates[0], fates[1])
	}
	kubetest.Recorded(t, "adopted.txt", out.Bytes())
}

// fateOfAnOrphan has the controller of a ReplicaSet that is no more claim a Pod.
func fateOfAnOrphan(t *testing.T, way string, again bool) string {
	c := kubetest.New(t, collecting)
	web := kubetest.Create(c, replicaSet("web", 1))
	pod := kubetest.Create(c, kubetest.Pod("web"))
	c.Settle()
	remove(t, c, web, background)
	c.Settle()
	if again {
		kubetest.Create(c, replicaSet("web", 1))
		c.Settle()
	}
	client := asked{c.Client, func(stored controlloop.Object, err error) (controlloop.Object, error) {
		switch way {
		case "nothing":
			return web, nil
		case "the store, for the name":
			if err != nil {
				return nil, err
			}
			same := controlloop.Copy(stored.(*appsv1.ReplicaSet))
			same.UID = web.UID
			return same, nil
		}
		return stored, err
	}}
	claims := &deployment.Claims{
		Client: client, Kind: deployment.ReplicaSetKind, Owner: web,
		Selector: deployment.SelectorOf(web.Spec.Selector),
	}
	_, err := deployment.Claim(t.Context(), claims, []*corev1.Pod{pod})
	c.Settle()
	if len(c.Pods()) == 0 {
		require.NoError(t, err)
		return "adopted, and collected"
	}
	require.Error(t, err)
	require.Nil(t, metav1.GetControllerOf(c.Pods()[0]))
	return "left alone"
}
