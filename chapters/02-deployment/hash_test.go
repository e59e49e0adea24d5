package deployment_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// plain returns a template with nothing in it that has a default.
func plain(image string) *corev1.PodTemplateSpec {
	template := &corev1.PodTemplateSpec{}
	template.Labels = map[string]string{"app": "nginx"}
	template.Spec.Containers = []corev1.Container{{Name: "nginx", Image: image}}
	return template
}

// The names on the right are what ComputeHash of Kubernetes 1.37.0 returned for
// these templates (pkg/controller/controller_utils.go, called from a program of
// its own). With another release of k8s.io/api, whose types have other fields,
// the same templates have other names: here and there.
func TestTemplateHashIsKubernetesOwn(t *testing.T) {
	for _, c := range []struct {
		name       string
		template   *corev1.PodTemplateSpec
		collisions *int32
		want       string
	}{
		{"nothing at all", &corev1.PodTemplateSpec{}, nil, "54f4c57dcb"},
		{"nginx", plain("nginx:1.27"), nil, "76f8596b8b"},
		{"after a collision", plain("nginx:1.27"), new(int32(1)), "549bbcb6b7"},
		{"after many", plain("nginx:1.27"), new(int32(70_000)), "66f9f98c6d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, deployment.TemplateHash(c.template, c.collisions))
		})
	}
}

// It is the content that counts. Two copies share no pointer.
func TestTemplateHashIsTheSameForEqualTemplates(t *testing.T) {
	template := nginxTemplate("web") // with a probe and a number behind pointers
	template.Spec.TerminationGracePeriodSeconds = new(int64(30))
	hash := deployment.TemplateHash(&template, nil)
	require.NotEmpty(t, hash)
	for range 10 {
		assert.Equal(t, hash, deployment.TemplateHash(template.DeepCopy(), nil))
	}
	template.Spec.Containers[0].ReadinessProbe.PeriodSeconds = 3
	assert.NotEqual(t, hash, deployment.TemplateHash(&template, nil),
		"what is behind a pointer is part of it")
}

func TestTemplateHashIsAnotherAfterEachCollision(t *testing.T) {
	seen := map[string]bool{deployment.TemplateHash(plain("nginx:1.27"), nil): true}
	for collisions := range int32(50) {
		hash := deployment.TemplateHash(plain("nginx:1.27"), &collisions)
		assert.False(t, seen[hash], "collision %d: %s was there before", collisions, hash)
		seen[hash] = true
	}
}

//book:exercise 2e
func TestSameTemplateComparesAllButTheHash(t *testing.T) {
	a, b := plain("nginx:1.27"), plain("nginx:1.27")
	assert.True(t, deployment.SameTemplate(a, b))
	b.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "76f8596b8b"
	assert.True(t, deployment.SameTemplate(a, b), "one of them bears the hash")
	assert.True(t, deployment.SameTemplate(b, a), "one of them bears the hash")
	b.Labels["tier"] = "web"
	assert.False(t, deployment.SameTemplate(a, b), "another label more")
	assert.False(t, deployment.SameTemplate(a, plain("nginx:1.28")))
	annotated := plain("nginx:1.27")
	annotated.Annotations = map[string]string{"restartedAt": "noon"}
	assert.False(t, deployment.SameTemplate(a, annotated))
	begun := plain("nginx:1.27")
	begun.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "busybox:1.36"}}
	assert.False(t, deployment.SameTemplate(a, begun))
}

// After an upgrade of the cluster the same template may have another hash. It
// is still the same.
//
//book:exercise 2e
func TestSameTemplateDoesNotGoByTheHash(t *testing.T) {
	a, b := plain("nginx:1.27"), plain("nginx:1.27")
	a.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "5d59d67564"
	b.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "76f8596b8b"
	assert.True(t, deployment.SameTemplate(a, b))
	c := plain("nginx:1.28")
	c.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "76f8596b8b"
	assert.False(t, deployment.SameTemplate(b, c), "a collision is no equality")
}

// Both templates belong to a cache.
//
//book:exercise 2e
func TestSameTemplateLeavesBothAsTheyWere(t *testing.T) {
	a, b := plain("nginx:1.27"), plain("nginx:1.27")
	a.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "76f8596b8b"
	b.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "5d59d67564"
	require.True(t, deployment.SameTemplate(a, b))
	assert.Len(t, a.Labels, 2, "its hash was taken from it")
	assert.Len(t, b.Labels, 2, "its hash was taken from it")
}

//book:exercise 2e
func TestAsMuchIsTheSame(t *testing.T) {
	asks := func(memory string) *corev1.PodTemplateSpec {
		template := plain("nginx:1.27")
		template.Spec.Containers[0].Resources.Requests = kubetest.Resources("memory=" + memory)
		return template
	}
	assert.True(t, deployment.SameTemplate(asks("1Gi"), asks("1024Mi")), "a gibibyte is 1024 mebibytes")
	assert.False(t, deployment.SameTemplate(asks("1Gi"), asks("1G")))
}

// These images give two templates one hash, if all before the image is the same.
const oneImage, otherImage = "nginx:1.27-5b28c", "nginx:1.27-992f0"

// withImage returns a Deployment of two Pods with this image.
func withImage(image string) *appsv1.Deployment {
	d := recreated("web", 2)
	d.Spec.Template.Spec.Containers[0].Image = image
	return d
}

//book:exercise 2e
func TestTwoTemplatesOfOneHashAreTwo(t *testing.T) {
	a, b := &withImage(oneImage).Spec.Template, &withImage(otherImage).Spec.Template
	require.Equal(t, deployment.TemplateHash(a, nil), deployment.TemplateHash(b, nil), "this is given")
	assert.True(t, deployment.SameTemplate(a, a.DeepCopy()))
	assert.False(t, deployment.SameTemplate(a, b), "one hash, and two images")
}

// Ada changes the image to one whose template has the same hash, and back.
//
//book:exercise 2e
func TestANewTemplateOfTheSameHashIsRolledOut(t *testing.T) {
	a := &withImage(oneImage).Spec.Template
	require.True(t, deployment.SameTemplate(a, a.DeepCopy()), "a template, and its copy")
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, withImage(oneImage))
		c.Advance(time.Minute)
		require.Equal(t, map[string]int32{oneImage: 2}, sizes(c))
		for _, step := range []struct {
			image string
			want  map[string]int32
		}{
			{otherImage, map[string]int32{oneImage: 0, otherImage: 2}},
			{oneImage, map[string]int32{oneImage: 2, otherImage: 0}},
		} {
			d = kubetest.Edit(c, d, func(d *appsv1.Deployment) {
				d.Spec.Template.Spec.Containers[0].Image = step.image
			})
			c.Advance(time.Minute)
			assert.Equal(t, step.want, sizes(c), "the image is %s: how many Pods does each ReplicaSet want?", step.image)
		}
		got := kubetest.Get(c, d).Status.CollisionCount
		if assert.NotNil(t, got, "nothing was counted: the second has got the first one's name") {
			assert.EqualValues(t, 1, *got)
		}
	})
}

// A hash is a name of its own in the cluster: the ReplicaSet's, a label of each
// Pod, and part of what the ReplicaSet selects.
func TestTheHashIsInNameLabelsAndSelector(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 2))
		c.Settle()
		hash := deployment.TemplateHash(&d.Spec.Template, nil)
		want := map[string]string{"app": "web", "pod-template-hash": hash}
		require.Len(t, sets(c), 1)
		rs := sets(c)[0]
		assert.Equal(t, "web-"+hash, rs.Name)
		assert.Equal(t, want, rs.Labels)
		assert.Equal(t, want, rs.Spec.Selector.MatchLabels)
		for _, pod := range c.Pods() {
			assert.Equal(t, want, pod.Labels)
		}
		d = kubetest.Get(c, d)
		assert.NotContains(t, d.Spec.Selector.MatchLabels, "pod-template-hash")
		assert.NotContains(t, d.Spec.Template.Labels, "pod-template-hash")
	})
}

// The name is taken: by another's ReplicaSet, and after that by a third.
func TestANameThatIsTakenIsCountedAndAnotherIsFound(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := recreated("web", 1)
		for _, collisions := range []*int32{nil, new(int32(1))} {
			rs := replicaSet("other", 0)
			rs.Name = "web-" + hashOf(d, collisions)
			kubetest.Create(c, rs)
		}
		stored := kubetest.Create(c, d)
		c.Advance(5e9)
		stored = kubetest.Get(c, stored)
		require.NotNil(t, stored.Status.CollisionCount)
		assert.EqualValues(t, 2, *stored.Status.CollisionCount)
		require.Len(t, sets(c), 3)
		names := []string{}
		for _, rs := range sets(c) {
			names = append(names, rs.Name)
		}
		assert.Contains(t, names, "web-"+hashOf(d, new(int32(2))))
		assert.Len(t, c.Pods(), 1)
		c.AssertQuiet(0)
	})
}

// hashOf returns the hash of a template as it is stored, its defaults filled
// in.
func hashOf(d *appsv1.Deployment, collisions *int32) string {
	template := d.Spec.Template.DeepCopy()
	filled := &appsv1.Deployment{}
	filled.Spec.Template = *template
	for _, kind := range kinds().All() {
		if kind.Kind == "Deployment" {
			kind.Default(filled)
		}
	}
	return deployment.TemplateHash(&filled.Spec.Template, collisions)
}

func TestThousandsOfTemplatesHaveAsManyHashes(t *testing.T) {
	seen := map[string]int{}
	for i := range 5000 {
		hash := deployment.TemplateHash(plain("nginx:"+strconv.Itoa(i)), nil)
		assert.Regexp(t, "^[4-9bcdf]+$", hash)
		seen[hash]++
	}
	assert.Greater(t, len(seen), 4990, "of 2³² hashes, 5,000 are nearly always different")
}
