package rules

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Job returns the rules of batch/v1 Job.
func Job() controlloop.Rules {
	return typed[*batchv1.Job]{
		fill: func(j *batchv1.Job) {
			fillJob(&j.Spec)
			if len(j.Labels) == 0 {
				j.Labels = j.Spec.Template.Labels
			}
		},
		check: func(j *batchv1.Job) field.ErrorList {
			return checkRestarts(&j.Spec.Template, specPath)
		},
	}.rules()
}

// CronJob returns the rules of batch/v1 CronJob.
func CronJob() controlloop.Rules {
	return typed[*batchv1.CronJob]{
		fill: func(c *batchv1.CronJob) {
			controlloop.Fill(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
			fillNil(&c.Spec.Suspend, false)
			fillNil(&c.Spec.SuccessfulJobsHistoryLimit, 3)
			fillNil(&c.Spec.FailedJobsHistoryLimit, 1)
			controlloop.DefaultPodTemplate(&c.Spec.JobTemplate.Spec.Template)
		},
		check: func(c *batchv1.CronJob) field.ErrorList {
			job := specPath.Child("jobTemplate", "spec")
			errs := checkRestarts(&c.Spec.JobTemplate.Spec.Template, job)
			if c.Spec.Schedule == "" {
				errs = append(errs, field.Required(specPath.Child("schedule"), ""))
			}
			return errs
		},
	}.rules()
}

func fillJob(spec *batchv1.JobSpec) {
	if spec.Completions == nil && spec.Parallelism == nil {
		spec.Completions = new(int32(1))
	}
	fillNil(&spec.Parallelism, 1)
	fillNil(&spec.BackoffLimit, 6)
	fillNil(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	fillNil(&spec.Suspend, false)
	fillNil(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	controlloop.DefaultPodTemplate(&spec.Template)
}

// checkRestarts wants Pods that come to an end.
func checkRestarts(template *corev1.PodTemplateSpec, spec *field.Path) field.ErrorList {
	ends := []corev1.RestartPolicy{
		corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever,
	}
	policy := template.Spec.RestartPolicy
	at := spec.Child("template", "spec", "restartPolicy")
	switch {
	case policy == corev1.RestartPolicyAlways:
		return field.ErrorList{field.Required(at,
			fmt.Sprintf("valid values: %q, %q", ends[0], ends[1]))}
	case !slices.Contains(ends, policy):
		return field.ErrorList{field.NotSupported(at, policy, ends)}
	}
	return nil
}

// fillNil sets a field that points to nothing.
func fillNil[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
