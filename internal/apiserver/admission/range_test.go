package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func amounts(all map[string]string) corev1.ResourceList {
	if all == nil {
		return nil
	}
	list := corev1.ResourceList{}
	for name, amount := range all {
		list[corev1.ResourceName(name)] = resource.MustParse(amount)
	}
	return list
}

func (l limited) allow(name string, limits ...corev1.LimitRangeItem) {
	l.must(l.store.Create(l.Context(), &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       corev1.LimitRangeSpec{Limits: limits},
	}))
}

// wanting returns a Pod of one container.
func wanting(requests, limits map[string]string) *corev1.Pod {
	p := pod("web", nil, nil)
	p.Spec.Containers[0].Resources = corev1.ResourceRequirements{
		Requests: amounts(requests), Limits: amounts(limits)}
	return p
}

func TestALimitRangeSaysWhatAContainerDoesNot(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		l.allow("usual", corev1.LimitRangeItem{
			Type: corev1.LimitTypeContainer,
			Max:  amounts(map[string]string{"cpu": "500m"}),
			Min:  amounts(map[string]string{"memory": "10Mi"}),
		}, corev1.LimitRangeItem{Type: corev1.LimitTypePod})
		mine := wanting(nil, nil)
		mine.Spec.InitContainers = []corev1.Container{{
			Name: "early", Resources: corev1.ResourceRequirements{
				Limits:   amounts(map[string]string{"cpu": "100m"}),
				Requests: amounts(map[string]string{"memory": "20Mi"})},
		}}
		got, err := l.admitted(mine)
		require.NoError(t, err)
		assert.Equal(t, corev1.ResourceRequirements{
			Requests: amounts(map[string]string{"cpu": "500m", "memory": "10Mi"}),
			Limits:   amounts(map[string]string{"cpu": "500m"}),
		}, got.Spec.Containers[0].Resources)
		assert.Equal(t, amounts(map[string]string{"cpu": "100m"}),
			got.Spec.InitContainers[0].Resources.Limits, "it said so itself")
		assert.Equal(t, "LimitRanger plugin set: cpu, memory request for container "+
			mine.Spec.Containers[0].Name+"; cpu limit for container "+
			mine.Spec.Containers[0].Name+"; cpu request for init container early",
			got.Annotations["kubernetes.io/limit-ranger"])
	})
}

func TestWhatIsOutsideALimitRangeIsRefused(t *testing.T) {
	some := func(of corev1.LimitType) corev1.LimitRangeItem {
		if of == corev1.LimitTypePersistentVolumeClaim {
			return corev1.LimitRangeItem{Type: of, Max: amounts(map[string]string{"storage": "1"})}
		}
		return corev1.LimitRangeItem{
			Type:                 of,
			Min:                  amounts(map[string]string{"cpu": "100m"}),
			Max:                  amounts(map[string]string{"cpu": "1"}),
			MaxLimitRequestRatio: amounts(map[string]string{"cpu": "2"}),
		}
	}
	cpu := func(amount string) map[string]string {
		return map[string]string{"cpu": amount}
	}
	for name, c := range map[string]struct {
		of               corev1.LimitType
		requests, limits map[string]string
		want             string
	}{
		"just right": {corev1.LimitTypePod, cpu("500m"), cpu("1"), ""},
		"says nothing": {corev1.LimitTypePod, nil, nil,
			`[minimum cpu usage per Pod is 100m.  No request is specified, maximum cpu ` +
				`usage per Pod is 1.  No limit is specified, cpu max limit to request ratio ` +
				`per Pod is 2, but no request is specified or request is 0]`},
		"too little": {corev1.LimitTypeContainer, cpu("99m"), cpu("150m"),
			`minimum cpu usage per Container is 100m, but request is 99m`},
		"too much": {corev1.LimitTypeContainer, cpu("600m"), cpu("1200m"),
			`maximum cpu usage per Container is 1, but limit is 1200m`},
		"too far apart": {corev1.LimitTypePod, cpu("200m"), cpu("800m"),
			`cpu max limit to request ratio per Pod is 2, but provided ratio is 4.000000`},
		"without an end": {corev1.LimitTypePod, cpu("500m"), nil,
			`[maximum cpu usage per Pod is 1.  No limit is specified, cpu max limit to ` +
				`request ratio per Pod is 2, but no limit is specified or limit is 0]`},
		"no claim of ours": {corev1.LimitTypePersistentVolumeClaim, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLimits(t, nil, func(l limited) {
				l.allow("strict", some(c.of))
				_, err := l.admitted(wanting(c.requests, c.limits))
				if c.want == "" {
					assert.NoError(t, err)
				} else {
					assert.EqualError(t, err, `pods "web" is forbidden: `+c.want)
				}
			})
		})
	}
}

// A Pod's request can be more than its limit while a container has none.
func TestAPodsRequestAndLimitAreLookedAtApart(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		l.allow("strict", corev1.LimitRangeItem{Type: corev1.LimitTypePod,
			Min: amounts(map[string]string{"cpu": "100m"}), Max: amounts(map[string]string{"cpu": "1"})})
		for limit, want := range map[string]string{
			"50m":  `minimum cpu usage per Pod is 100m, but limit is 50m`,
			"500m": `maximum cpu usage per Pod is 1, but request is 1100m`,
		} {
			p := wanting(map[string]string{"cpu": limit}, map[string]string{"cpu": limit})
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "endless", Image: "nginx",
				Resources: corev1.ResourceRequirements{Requests: amounts(map[string]string{"cpu": "600m"})}})
			assert.EqualError(t, l.create(p), `pods "web" is forbidden: `+want)
		}
	})
}

func TestAClaimIsHeldToALimitRangeToo(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		l.allow("disks", corev1.LimitRangeItem{
			Type: corev1.LimitTypePersistentVolumeClaim,
			Min:  amounts(map[string]string{"storage": "1Gi"}),
			Max:  amounts(map[string]string{"storage": "2Gi"}),
		})
		claim := func(size string) *corev1.PersistentVolumeClaim {
			c := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"}}
			c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
			c.Spec.Resources.Requests = amounts(map[string]string{"storage": size})
			return c
		}
		const forbidden = `persistentvolumeclaims "data" is forbidden: `
		assert.EqualError(t, l.create(claim("1Mi")), forbidden+
			`minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi`)
		assert.EqualError(t, l.create(claim("3Gi")), forbidden+
			`maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi`)
	})
}
