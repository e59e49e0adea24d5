package daemonset_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
)

const (
	equal  = corev1.TolerationOpEqual
	exists = corev1.TolerationOpExists

	noSchedule = corev1.TaintEffectNoSchedule
	noExecute  = corev1.TaintEffectNoExecute
	rather     = corev1.TaintEffectPreferNoSchedule
)

// gpu=a100:NoSchedule
var gpu = &corev1.Taint{Key: "gpu", Value: "a100", Effect: noSchedule}

//book:exercise 6b
func TestATolerationIsAboutATaintOfItsKeyAndValue(t *testing.T) {
	for name, is := range map[string]struct {
		toleration corev1.Toleration
		about      bool
	}{
		"key and value":       {corev1.Toleration{Key: "gpu", Operator: equal, Value: "a100"}, true},
		"another value":       {corev1.Toleration{Key: "gpu", Operator: equal, Value: "h100"}, false},
		"no value":            {corev1.Toleration{Key: "gpu", Operator: equal}, false},
		"another key":         {corev1.Toleration{Key: "disk", Operator: equal, Value: "a100"}, false},
		"it exists":           {corev1.Toleration{Key: "gpu", Operator: exists}, true},
		"with another value":  {corev1.Toleration{Key: "gpu", Operator: exists, Value: "h100"}, true},
		"neither, but equal":  {corev1.Toleration{Operator: equal}, false},
		"another exists":      {corev1.Toleration{Key: "disk", Operator: exists}, false},
		"anything exists":     {corev1.Toleration{Operator: exists}, true},
		"an operator unknown": {corev1.Toleration{Key: "gpu", Operator: "Like", Value: "a100"}, false},
	} {
		assert.Equal(t, is.about, daemonset.Tolerates(&is.toleration, gpu), name)
	}
}

// Who writes no operator means Equal.
//
//book:exercise 6b
func TestATolerationWithoutAnOperatorComparesValues(t *testing.T) {
	assert.True(t, daemonset.Tolerates(&corev1.Toleration{Key: "gpu", Value: "a100"}, gpu), "the same value")
	assert.False(t, daemonset.Tolerates(&corev1.Toleration{Key: "gpu", Value: "h100"}, gpu), "another value")
	assert.False(t, daemonset.Tolerates(&corev1.Toleration{Key: "gpu"}, gpu),
		"a value that is left out is an empty one")
	bare := &corev1.Taint{Key: "gpu", Effect: noSchedule}
	assert.True(t, daemonset.Tolerates(&corev1.Toleration{Key: "gpu"}, bare), "neither has a value")
	assert.True(t, daemonset.Tolerates(&corev1.Toleration{Value: "a100"}, gpu),
		"a key that is left out is any, and the value still counts")
}

//book:exercise 6b
func TestATolerationOfOneEffectIsNotAboutAnother(t *testing.T) {
	for _, effect := range []corev1.TaintEffect{noSchedule, noExecute, rather} {
		t.Run(string(effect), func(t *testing.T) {
			taint := &corev1.Taint{Key: "gpu", Effect: effect}
			all := &corev1.Toleration{Key: "gpu", Operator: exists}
			assert.True(t, daemonset.Tolerates(all, taint), "no effect is all of them, %s too", effect)
			one := &corev1.Toleration{Key: "gpu", Operator: exists, Effect: noExecute}
			assert.Equal(t, effect == noExecute, daemonset.Tolerates(one, taint),
				"the toleration is about NoExecute, the taint is %s", effect)
			any := &corev1.Toleration{Operator: exists, Effect: noExecute}
			assert.Equal(t, effect == noExecute, daemonset.Tolerates(any, taint),
				"any key is not any effect, and the taint is %s", effect)
		})
	}
}
