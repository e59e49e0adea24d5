package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/admission"
)

func TestOnlyOneClassIsForPodsThatNameNone(t *testing.T) {
	class := func(name string, all bool) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: 7, GlobalDefault: all,
		}
	}
	const refused = `priorityclasses.scheduling.k8s.io "web" is forbidden: ` +
		"PriorityClass usual is already marked as default. Only one default can exist"
	inLimits(t, nil, func(l limited) {
		create := func(c *schedulingv1.PriorityClass) error {
			_, err := admission.Admit(t.Context(), l.store, c, false)
			return err
		}
		change := func(c, old *schedulingv1.PriorityClass) error {
			return admission.AdmitChange(t.Context(), l.store, c, old)
		}
		require.NoError(t, create(class("usual", true)))
		l.must(l.store.Create(t.Context(), class("usual", true)))
		assert.NoError(t, create(class("web", false)))
		assert.EqualError(t, create(class("web", true)), refused)
		assert.NoError(t, change(class("usual", true), class("usual", true)))
		assert.NoError(t, change(class("web", false), class("web", false)))
		assert.EqualError(t, change(class("web", true), class("web", false)), refused)
	})
}
