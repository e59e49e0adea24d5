package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// deployment is a kind of a later chapter, as that chapter would add it.
var deployment = controlloop.Kind{
	GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("Deployment"),
	Resource:         "deployments",
	Namespaced:       true,
	New:              func() controlloop.Object { return &appsv1.Deployment{} },
	Rules: controlloop.Rules{
		Fill: func(obj controlloop.Object) {
			controlloop.DefaultPodTemplate(&obj.(*appsv1.Deployment).Spec.Template)
		},
		Check: func(obj controlloop.Object) field.ErrorList {
			return controlloop.ValidatePodTemplate(
				&obj.(*appsv1.Deployment).Spec.Template, field.NewPath("spec", "template"))
		},
	},
}

func TestKindsAreFoundByNameAndByType(t *testing.T) {
	kinds := controlloop.CoreKinds()
	for _, kind := range kinds.All() {
		byName, err := kinds.For(kind.GroupVersionKind)
		require.NoError(t, err)
		assert.Equal(t, kind.Resource, byName.Resource)
		byType, err := kinds.Of(kind.New())
		require.NoError(t, err)
		assert.Equal(t, kind.Resource, byType.Resource)
	}
}

func TestKindsSaysWhatItDoesNotKnow(t *testing.T) {
	kinds := controlloop.CoreKinds()
	_, err := kinds.For(deployment.GroupVersionKind)
	assert.True(t, meta.IsNoMatchError(err))
	assert.EqualError(t, err, `no matches for kind "Deployment" in version "apps/v1"`)
	_, err = kinds.Of(&appsv1.Deployment{})
	assert.True(t, runtime.IsNotRegisteredError(err))
}

func TestWithAddsAKindAndLeavesTheOldSetAsItWas(t *testing.T) {
	core := controlloop.CoreKinds()
	kinds := core.With(deployment)
	assert.Len(t, kinds.All(), len(core.All())+1)

	objects, err := kinds.Decode("d.yaml", []byte(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: nginx}}
  template: {spec: {containers: [{name: nginx}]}}
`))
	require.NoError(t, err)
	kind, err := kinds.Of(objects[0])
	require.NoError(t, err)
	kind.Default(objects[0])
	assert.EqualError(t, kind.ValidateCreate(objects[0]), `Deployment.apps "web" is `+
		`invalid: spec.template.spec.containers[0].image: Required value`)

	_, err = core.Of(objects[0])
	assert.Error(t, err, "With must not change the set it was called on")
}

func TestWithReplacesAKindOfTheSameName(t *testing.T) {
	mine := controlloop.Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"),
		Resource:         "nodes",
		New:              func() controlloop.Object { return &corev1.Node{} },
		Rules: controlloop.Rules{Check: func(controlloop.Object) field.ErrorList {
			return field.ErrorList{field.Forbidden(field.NewPath("spec"), "no more nodes")}
		}},
	}
	kinds := controlloop.CoreKinds().With(mine)
	node := &corev1.Node{}
	node.Name = "a"
	kind, err := kinds.Of(node)
	require.NoError(t, err)
	assert.EqualError(t, kind.ValidateCreate(node),
		`Node "a" is invalid: spec: Forbidden: no more nodes`)
	byName, err := kinds.For(mine.GroupVersionKind)
	require.NoError(t, err)
	assert.Error(t, byName.ValidateCreate(node), "by name it is the new kind, too")
	assert.Len(t, kinds.All(), len(controlloop.CoreKinds().All()))
}
