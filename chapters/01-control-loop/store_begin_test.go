package controlloop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
)

// A log that is empty may have forgotten something all the same.
//
//book:exercise 1d
func TestAStoreBeginsWhereAnotherEnded(t *testing.T) {
	ctx := context.Background()
	before := controlloop.NewStore(controlloop.CoreKinds())
	old, err := before.Create(ctx, configMap("kept", nil))
	require.NoError(t, err)

	s := controlloop.NewStore(controlloop.CoreKinds(),
		controlloop.WithObjects(100, controlloop.Copy(old)), controlloop.WithHistory(10))
	now, err := s.Get(ctx, old.GetObjectKind().GroupVersionKind(), controlloop.KeyOf(old))
	require.NoError(t, err)
	assert.Equal(t, old, now, "uid, version and times are as they were")

	next, err := s.Create(ctx, configMap("new", nil))
	require.NoError(t, err)
	assert.Equal(t, "101", next.GetResourceVersion())

	watchFrom := func(version string) error {
		_, err := s.Watch(ctx, next.GetObjectKind().GroupVersionKind(),
			controlloop.ListOptions{ResourceVersion: version})
		return err
	}
	assert.True(t, apierrors.IsResourceExpired(watchFrom("99")),
		"nobody knows what happened between 99 and 100")
	assert.NoError(t, watchFrom("100"))
}

func TestEachKindHasFieldsOfItsOwn(t *testing.T) {
	ctx := context.Background()
	nodes := corev1.SchemeGroupVersion.WithKind("Node")
	kind, err := controlloop.CoreKinds().For(nodes)
	require.NoError(t, err)
	kind.Fields = func(obj controlloop.Object) fields.Set {
		if obj.(*corev1.Node).Spec.Unschedulable {
			return fields.Set{"spec.unschedulable": "true"}
		}
		return fields.Set{"spec.unschedulable": "false"}
	}
	s := controlloop.NewStore(controlloop.CoreKinds().With(kind))
	for name, cordoned := range map[string]bool{"a": true, "b": false} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		node.Spec.Unschedulable = cordoned
		_, err := s.Create(ctx, node)
		require.NoError(t, err)
	}
	for selector, want := range map[string]string{
		"spec.unschedulable=true": "a", "spec.unschedulable=false": "b", "metadata.name=b": "b",
	} {
		list, err := s.List(ctx, nodes, controlloop.ListOptions{
			Fields: fields.ParseSelectorOrDie(selector)})
		require.NoError(t, err)
		require.Len(t, list.Items, 1, selector)
		assert.Equal(t, want, list.Items[0].GetName(), selector)
	}
}

// The label of a Namespace is its name, which the store may have generated.
func TestWhatFollowsFromANameFollowsFromAGeneratedOne(t *testing.T) {
	s := controlloop.NewStore(controlloop.CoreKinds())
	obj, err := s.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "gen-"},
	})
	require.NoError(t, err)
	assert.Regexp(t, "^gen-.....$", obj.GetName())
	assert.Equal(t, obj.GetName(), obj.GetLabels()[corev1.LabelMetadataName])
	assert.NotEmpty(t, obj.(*corev1.Namespace).Spec.Finalizers)
}
