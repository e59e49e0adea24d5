package rules

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/job"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/utils/ptr"
)

var batch1 = batchv1.SchemeGroupVersion

// inBatch are the features that the declarative validation of both kinds asks for.
var inBatch = map[string]bool{"WorkloadWithJob": false}

var jobs = map[schema.GroupVersionKind]server{
	batch1.WithKind("Job"): strategy[*batch.Job]{
		prepare: func(j *batch.Job) {
			job.DropDisabledFields(&j.Spec, nil)
			dropFields(&j.Spec.Template)
		},
		create: func(j *batch.Job) field.ErrorList {
			return validation.ValidateJobCreate(selecting(j), validation.JobValidationOptions{
				PodValidationOptions:  templateOptions(&j.Spec.Template, nil),
				RequirePrefixedLabels: true,
			})
		},
		update: func(j, old *batch.Job) field.ErrorList {
			suspended := ptr.Deref(old.Spec.Suspend, false) && old.Status.StartTime == nil
			return validation.ValidateJobUpdate(
				selecting(j), selecting(old), validation.JobValidationOptions{
					PodValidationOptions: templateOptions(
						&j.Spec.Template, &old.Spec.Template),
					RequirePrefixedLabels:            true,
					AllowMutableSchedulingDirectives: suspended,
					AllowMutablePodResources:         suspended,
				})
		},
		status: func(j, old *batch.Job) field.ErrorList {
			return validation.ValidateJobUpdateStatus(
				j, old, validation.JobStatusValidationOptions{})
		},
		warn: func(j, old *batch.Job) []string {
			if old != nil {
				return warnOfJob(specPath, &j.Spec, &old.Spec)
			}
			return append(warnOfPodNames(j.Name), warnOfJob(specPath, &j.Spec, nil)...)
		},
		options: inBatch,
	},
	batch1.WithKind("CronJob"): strategy[*batch.CronJob]{
		prepare: func(c *batch.CronJob) {
			job.DropDisabledFields(&c.Spec.JobTemplate.Spec, nil)
			dropFields(&c.Spec.JobTemplate.Spec.Template)
		},
		create: func(c *batch.CronJob) field.ErrorList {
			return validation.ValidateCronJobCreate(
				c, templateOptions(&c.Spec.JobTemplate.Spec.Template, nil))
		},
		update: func(c, old *batch.CronJob) field.ErrorList {
			return validation.ValidateCronJobUpdate(c, old, templateOptions(
				&c.Spec.JobTemplate.Spec.Template, &old.Spec.JobTemplate.Spec.Template))
		},
		warn: func(c, old *batch.CronJob) []string {
			path := specPath.Child("jobTemplate", "spec")
			if old != nil {
				return warnOfJob(path, &c.Spec.JobTemplate.Spec, &old.Spec.JobTemplate.Spec)
			}
			return append(warnOfPodNames(c.Name),
				warnOfJob(path, &c.Spec.JobTemplate.Spec, nil)...)
		},
		options: inBatch,
	},
}

// selecting returns a Job as its controller would find it: with a selector, by
// its uid, and the labels that go with it. Here, where no controller looks at
// Jobs, they are not stored.
func selecting(j *batch.Job) *batch.Job {
	if ptr.Deref(j.Spec.ManualSelector, false) {
		return j
	}
	j = j.DeepCopy()
	uid := string(j.UID)
	labels := map[string]string{
		batch.LegacyJobNameLabel: j.Name, batch.JobNameLabel: j.Name,
		batch.LegacyControllerUidLabel: uid, batch.ControllerUidLabel: uid,
	}
	for name, value := range j.Spec.Template.Labels {
		labels[name] = value
	}
	j.Spec.Template.Labels = labels
	if j.Spec.Selector == nil {
		j.Spec.Selector = &metav1.LabelSelector{}
	}
	metav1.AddLabelToSelector(j.Spec.Selector, batch.ControllerUidLabel, uid)
	return j
}

func warnOfJob(path *field.Path, spec, old *batch.JobSpec) []string {
	return job.WarningsForJobSpec(context.Background(), path, spec, old)
}
