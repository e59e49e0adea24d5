package lab_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/lab"
)

func TestADeletedNamespaceIsEmptiedAndGoes(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(namespace("shop"))
		f.create(configMap("shop", "settings"))
		f.create(configMap("default", "settings"))
		f.create(three("shop"))
		require.Len(f.t, f.pods("shop"), 3)

		f.delete(namespaceKind, "", "shop")
		time.Sleep(time.Minute) // more than any grace
		synctest.Wait()
		assert.Nil(f.t, f.namespace("shop"))
		for _, kind := range kinds.All() {
			assert.Empty(f.t, kind.Namespaced && len(f.list(kind.GroupVersionKind, "shop")) > 0,
				kind.Resource)
		}
		assert.NotNil(f.t, f.find(configMapKind, "default", "settings"), "others keep theirs")
	})
}

func TestWhatStillRunsKeepsWhatItMayNeed(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(namespace("shop"))
		f.create(configMap("shop", "settings"))
		f.Machines.SetImage("stubborn", simulated.Image{Program: stubborn})
		slow := pod("shop", "slow")
		slow.Spec.Containers[0].Image = "stubborn"
		f.create(slow)

		f.delete(namespaceKind, "", "shop")
		require.NotNil(f.t, f.namespace("shop"))
		assert.NotNil(f.t, f.find(configMapKind, "shop", "settings"))
		assert.Equal(f.t, "Some resources are remaining: pods. has 1 resource instances",
			conditionOf(f.namespace("shop"), corev1.NamespaceContentRemaining).Message)

		time.Sleep(31 * time.Second) // its grace
		synctest.Wait()
		assert.Nil(f.t, f.namespace("shop"))
	})
}

func TestANamespaceWaitsForFinalizers(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(namespace("shop"))
		held := configMap("shop", "held")
		held.Finalizers = []string{"example.com/mine"}
		stored := f.create(held)

		f.delete(namespaceKind, "", "shop")
		time.Sleep(time.Hour)
		synctest.Wait()
		require.NotNil(f.t, f.namespace("shop"))
		condition := conditionOf(f.namespace("shop"), corev1.NamespaceFinalizersRemaining)
		assert.Equal(f.t, corev1.ConditionTrue, condition.Status)
		assert.Equal(f.t, "SomeFinalizersRemain", condition.Reason)
		assert.Equal(f.t, "Some content in the namespace has finalizers remaining: "+
			"example.com/mine in 1 resource instances", condition.Message)

		obj, err := f.Store.Get(f.t.Context(), configMapKind, controlloop.KeyOf(stored))
		require.NoError(f.t, err)
		freed := controlloop.Copy(obj)
		freed.SetFinalizers(nil)
		f.update(freed)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Nil(f.t, f.namespace("shop"))
	})
}

func TestANamespaceThatWaitsIsLeftAlone(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(namespace("shop"))
		held := configMap("shop", "held")
		held.Finalizers = []string{"example.com/mine"}
		f.create(held)
		f.delete(namespaceKind, "", "shop")
		before := f.namespace("shop").ResourceVersion

		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(f.t, before, f.namespace("shop").ResourceVersion,
			"nothing changed, so nothing is written")
	})
}

// Once our part is done, a namespace may be held by others for reasons of their
// own: nothing in it is touched any more.
func TestANamespaceIsEmptiedOnce(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		shop := namespace("shop")
		shop.Finalizers = []string{"example.com/mine"}
		f.create(shop)
		f.delete(namespaceKind, "", "shop")
		require.NotNil(f.t, f.namespace("shop"))
		require.Empty(f.t, f.namespace("shop").Spec.Finalizers, "ours")

		f.create(configMap("shop", "late"))
		held := controlloop.Copy(f.namespace("shop"))
		held.Labels = map[string]string{"seen": "yes"}
		f.update(held)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.NotNil(f.t, f.find(configMapKind, "shop", "late"))
	})
}

func TestControllersCannotFillANamespaceOnItsWayOut(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(namespace("shop"))
		held := configMap("shop", "held")
		held.Finalizers = []string{"example.com/mine"}
		f.create(held)
		f.delete(namespaceKind, "", "shop")

		_, err := f.System.Client.Create(f.t.Context(), pod("shop", "late"))
		require.True(f.t, apierrors.IsForbidden(err), "%v", err)
		assert.True(f.t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause))
		assert.EqualError(f.t, err, `pods "late" is forbidden: unable to create new `+
			"content in namespace shop because it is being terminated")

		_, err = f.System.Client.Create(f.t.Context(), pod("nowhere", "late"))
		require.True(f.t, apierrors.IsNotFound(err), "%v", err)
		assert.EqualError(f.t, err, `namespaces "nowhere" not found`)
	})
}

func conditionOf(
	namespace *corev1.Namespace, t corev1.NamespaceConditionType,
) corev1.NamespaceCondition {
	for _, c := range namespace.Status.Conditions {
		if c.Type == t {
			return c
		}
	}
	return corev1.NamespaceCondition{}
}
