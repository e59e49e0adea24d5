package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"reconcile/internal/apiserver/columns"
)

func TestAJobSaysHowItIs(t *testing.T) {
	is := func(conditions ...batchv1.JobConditionType) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: web}
		for _, c := range conditions {
			j.Status.Conditions = append(j.Status.Conditions,
				batchv1.JobCondition{Type: c, Status: corev1.ConditionTrue})
		}
		return j
	}
	goes := is(batchv1.JobSuspended)
	goes.DeletionTimestamp = &web.CreationTimestamp
	not := is(batchv1.JobSuspended)
	not.Status.Conditions[0].Status = corev1.ConditionFalse
	for _, c := range []struct {
		job  *batchv1.Job
		want string
	}{
		{is(), "Running"},
		{is(batchv1.JobSuspended), "Suspended"},
		{not, "Running"},
		{goes, "Terminating"},
		{is(batchv1.JobFailureTarget), "FailureTarget"},
		{is(batchv1.JobFailureTarget, batchv1.JobFailed), "Failed"},
		{is(batchv1.JobSuccessCriteriaMet), "SuccessCriteriaMet"},
		{is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete), "Complete"},
	} {
		assert.Equal(t, c.want, cells(columns.Job, c.job)[1])
	}
}

func TestAnIngressWithACertificateOpensTwoPorts(t *testing.T) {
	i := &networkingv1.Ingress{ObjectMeta: web}
	assert.Equal(t, "80", cells(columns.Ingress, i)[4])
	i.Spec.TLS = []networkingv1.IngressTLS{{SecretName: "web"}}
	assert.Equal(t, "80, 443", cells(columns.Ingress, i)[4])
}
