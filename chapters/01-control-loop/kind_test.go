package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
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
		Default: func(obj controlloop.Object) {
			controlloop.DefaultPodTemplate(&obj.(*appsv1.Deployment).Spec.Template)
		},
		Validate: func(obj controlloop.Object) field.ErrorList {
			return controlloop.ValidateEndless(&obj.(*appsv1.Deployment).Spec.Template,
				"Deployment", field.NewPath("spec", "template"))
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

	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	web.Spec.Template.Spec.ActiveDeadlineSeconds = new(int64(5))
	kind, err := kinds.Of(web)
	require.NoError(t, err)
	kind.Default(web)
	assert.EqualError(t, kind.ValidateCreate(web), `Deployment.apps "web" is `+
		`invalid: spec.template.spec.activeDeadlineSeconds: Forbidden: `+
		`activeDeadlineSeconds in Deployment is not Supported`)

	_, err = core.Of(web)
	assert.Error(t, err, "With must not change the set it was called on")
}

func TestWithReplacesAKindOfTheSameName(t *testing.T) {
	mine := controlloop.Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"),
		Resource:         "nodes",
		New:              func() controlloop.Object { return &corev1.Node{} },
		Rules: controlloop.Rules{Validate: func(controlloop.Object) field.ErrorList {
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

func TestJoinedRulesFillInComplainAndSelectAsBothDo(t *testing.T) {
	complain := func(word string) controlloop.Rules {
		return controlloop.Rules{
			Default: func(obj controlloop.Object) {
				obj.SetGenerateName(obj.GetGenerateName() + word)
			},
			Validate: func(controlloop.Object) field.ErrorList {
				return field.ErrorList{field.Forbidden(field.NewPath("spec"), word)}
			},
			ValidateUpdate: func(_, _ controlloop.Object) field.ErrorList {
				return field.ErrorList{field.Forbidden(field.NewPath("status"), word)}
			},
			Fields: func(controlloop.Object) fields.Set {
				return fields.Set{word: word, "last": word}
			},
		}
	}
	for name, test := range map[string]struct {
		rules  controlloop.Rules
		filled string
		spec   []string
		fields fields.Set
	}{
		"both": {complain("a").And(complain("b")), "ab", []string{"a", "b"},
			fields.Set{"a": "a", "b": "b", "last": "b"}},
		"the first alone": {complain("a").And(controlloop.Rules{}), "a", []string{"a"},
			fields.Set{"a": "a", "last": "a"}},
		"the second alone": {controlloop.Rules{}.And(complain("b")), "b", []string{"b"},
			fields.Set{"b": "b", "last": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			obj, old := &corev1.Node{}, &corev1.Node{}
			test.rules.Default(obj)
			assert.Equal(t, test.filled, obj.GenerateName)
			var spec, status []string
			for _, err := range test.rules.Validate(obj) {
				spec = append(spec, err.Detail)
			}
			for _, err := range test.rules.ValidateUpdate(obj, old) {
				status = append(status, err.Detail)
			}
			assert.Equal(t, test.spec, spec)
			assert.Equal(t, test.spec, status)
			assert.Equal(t, test.fields, test.rules.Fields(obj))
		})
	}
	neither := controlloop.Rules{}.And(controlloop.Rules{})
	assert.Nil(t, neither.Fields, "there is still nothing to select by")
	assert.Empty(t, neither.Validate(&corev1.Node{}))
	assert.Empty(t, neither.ValidateUpdate(&corev1.Node{}, &corev1.Node{}))
	neither.Default(&corev1.Node{})
}

func TestOfTwoRulesForNamesTheLaterCounts(t *testing.T) {
	label := controlloop.Rules{Name: validation.NameIsDNSLabel}
	sub := controlloop.Rules{Name: validation.NameIsDNSSubdomain}
	assert.Empty(t, label.And(sub).Name("a.b", false))
	assert.NotEmpty(t, sub.And(label).Name("a.b", false))
	assert.NotEmpty(t, label.And(controlloop.Rules{}).Name("a.b", false))
}

func TestTheKindsOfThisChapterAreNamedAsInURLs(t *testing.T) {
	resources := map[string]string{}
	for _, kind := range controlloop.CoreKinds().All() {
		resources[kind.GroupVersionKind.Kind] = kind.Resource
	}
	assert.Equal(t, map[string]string{
		"ConfigMap": "configmaps", "Namespace": "namespaces", "Node": "nodes",
		"Pod": "pods", "ReplicationController": "replicationcontrollers",
	}, resources)
}

func TestAKindWithoutFieldsIsSelectedByNameAndNamespace(t *testing.T) {
	s := controlloop.NewStore(controlloop.CoreKinds())
	for _, name := range []string{"a", "b"} {
		_, err := s.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name}})
		require.NoError(t, err)
	}
	list, err := s.List(t.Context(), corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		controlloop.ListOptions{Fields: fields.OneTermEqualSelector("metadata.name", "b")})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	assert.Equal(t, "b", list.Items[0].GetName())
}
