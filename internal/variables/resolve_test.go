package variables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/variables"
)

// store holds a ConfigMap, a Secret and a Node.
func store(t *testing.T) *controlloop.Store {
	s := controlloop.NewStore(controlloop.CoreKinds().With(controlloop.Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"),
		Resource:         "secrets", Namespaced: true,
		New: func() controlloop.Object { return &corev1.Secret{} },
	}))
	meta := metav1.ObjectMeta{Namespace: "default", Name: "shop"}
	for _, obj := range []controlloop.Object{
		&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"A": "1", "B": "2"}},
		&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"P": []byte("x")}},
		&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "node-1"},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				corev1.ResourceMemory: resource.MustParse("8Gi"),
			}},
		},
	} {
		_, err := s.Create(t.Context(), obj)
		require.NoError(t, err)
	}
	return s
}

func pod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "web", Labels: map[string]string{"app": "shop"},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1",
			InitContainers: []corev1.Container{{
				Name: "init", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
					corev1.ResourceMemory: resource.MustParse("64Mi")}},
			}},
			Containers: []corev1.Container{{
				Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
					corev1.ResourceMemory: resource.MustParse("0")}},
			}},
		},
		Status: corev1.PodStatus{PodIP: "10.244.1.1", HostIP: "172.18.0.2"},
	}
}

// resolve returns the variables of a container in pod's place, as "A=1".
func resolve(t *testing.T, c corev1.Container) ([]string, *corev1.Container, error) {
	next, err := variables.From(store(t)).Resolve(t.Context(), pod(), &c)
	if err != nil {
		return nil, nil, err
	}
	var env []string
	for _, v := range next.Env {
		assert.Nil(t, v.ValueFrom, "nothing is left to look up")
		env = append(env, v.Name+"="+v.Value)
	}
	assert.Empty(t, next.EnvFrom)
	return env, next, nil
}

func from(name string, source corev1.EnvVarSource) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &source}
}

var (
	shop = corev1.LocalObjectReference{Name: "shop"}
	gone = corev1.LocalObjectReference{Name: "gone"}
)

func TestAVariableCanNameThoseBeforeIt(t *testing.T) {
	env, c, err := resolve(t, corev1.Container{
		Env: []corev1.EnvVar{
			{Name: "A", Value: "x"}, {Name: "B", Value: "$(A)y$$(A)$(NOPE)$(C)$"}, {Name: "C"},
		},
		Command: []string{"echo", "$(B)"}, Args: []string{"$(C)", "$(HOSTNAME)", "$$"},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"A=x", "B=xy$(A)$(NOPE)$(C)$", "C="}, env)
	assert.Equal(t, []string{"echo", "xy$(A)$(NOPE)$(C)$"}, c.Command)
	assert.Equal(t, []string{"", "$(HOSTNAME)", "$"}, c.Args)
}

func TestAVariableSaysWhichPartOfAVolumeIsMounted(t *testing.T) {
	c := corev1.Container{
		Env:          []corev1.EnvVar{from("POD", corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}), {Name: "EMPTY"}},
		VolumeMounts: []corev1.VolumeMount{{Name: "a", SubPathExpr: "logs/$(POD)/$$(x)"}, {Name: "b", SubPath: "$(POD)"}},
	}
	_, next, err := resolve(t, c)
	require.NoError(t, err)
	assert.Equal(t, []corev1.VolumeMount{{Name: "a", SubPath: "logs/web/$(x)"}, {Name: "b", SubPath: "$(POD)"}}, next.VolumeMounts)
	assert.NotEmpty(t, c.VolumeMounts[0].SubPathExpr, "what is shared is not changed")
	c.VolumeMounts[0].SubPathExpr = "$(NOPE)/$(EMPTY)"
	_, _, err = resolve(t, c)
	assert.EqualError(t, err, "missing value for EMPTY, NOPE")
}

func TestVariablesComeFromFieldsAndResources(t *testing.T) {
	c := corev1.Container{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1200m")},
	}}
	for _, path := range []string{"metadata.name", "metadata.namespace",
		"metadata.labels['app']", "spec.nodeName", "status.podIP", "status.hostIP"} {
		c.Env = append(c.Env, from("F", corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}))
	}
	for _, ref := range []corev1.ResourceFieldSelector{
		{Resource: "requests.cpu"},
		{Resource: "requests.cpu", Divisor: resource.MustParse("1m")},
		{Resource: "limits.memory", Divisor: resource.MustParse("1Gi")},
		{Resource: "requests.memory"},
	} {
		c.Env = append(c.Env, from("R", corev1.EnvVarSource{ResourceFieldRef: &ref}))
	}
	env, _, err := resolve(t, c)
	require.NoError(t, err)
	assert.Equal(t, []string{"F=web", "F=default", "F=shop", "F=node-1",
		"F=10.244.1.1", "F=172.18.0.2", "R=2", "R=1200", "R=8", "R=0"}, env)
}

// As of files of a volume: one rule says what a Pod is told about its containers.
func TestAVariableTellsOfAnyContainerOfThePod(t *testing.T) {
	memory := func(container string) corev1.Container {
		return corev1.Container{Env: []corev1.EnvVar{from("M", corev1.EnvVarSource{
			ResourceFieldRef: &corev1.ResourceFieldSelector{
				ContainerName: container, Resource: "limits.memory",
				Divisor: resource.MustParse("1Mi")}})}}
	}
	for container, want := range map[string]string{
		"init": "M=64",
		"main": "M=8192", // a limit of zero is none, and the node is the limit
	} {
		env, _, err := resolve(t, memory(container))
		require.NoError(t, err)
		assert.Equal(t, []string{want}, env, container)
	}
	_, _, err := resolve(t, memory("nope"))
	assert.EqualError(t, err, "container nope not found")
}

func TestVariablesComeFromConfigMapsAndSecrets(t *testing.T) {
	env, _, err := resolve(t, corev1.Container{
		EnvFrom: []corev1.EnvFromSource{
			{Prefix: "X_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: shop}},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: gone, Optional: new(true)}},
		},
		Env: []corev1.EnvVar{
			from("P", corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: shop, Key: "P"}}),
			from("B", corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: shop, Key: "B"}}),
			from("N", corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: shop, Key: "nope", Optional: new(true)}}),
			{Name: "E", Value: "$(X_A)"},
		},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"X_A=1", "X_B=2", "P=x", "B=2", "E=1"}, env)
}

func TestAReferenceToNothingIsToldInTheKubeletsWords(t *testing.T) {
	for want, source := range map[string]corev1.EnvVarSource{
		`configmap "gone" not found`: {ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: gone, Key: "A"}},
		`secret "gone" not found`: {SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: gone, Key: "A"}},
		"couldn't find key Z in ConfigMap default/shop": {
			ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: shop, Key: "Z"}},
	} {
		_, _, err := resolve(t, corev1.Container{Env: []corev1.EnvVar{from("V", source)}})
		assert.EqualError(t, err, want)
	}
}
