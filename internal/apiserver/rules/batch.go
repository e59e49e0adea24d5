package rules

import (
	"context"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/job"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
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
			return validation.ValidateJobCreate(j, validation.JobValidationOptions{
				PodValidationOptions:  templateOptions(&j.Spec.Template, nil),
				RequirePrefixedLabels: true,
			})
		},
		update: func(j, old *batch.Job) field.ErrorList {
			suspended := ptr.Deref(old.Spec.Suspend, false) && old.Status.StartTime == nil
			return validation.ValidateJobUpdate(j, old, validation.JobValidationOptions{
				PodValidationOptions: templateOptions(
					&j.Spec.Template, &old.Spec.Template),
				RequirePrefixedLabels:            true,
				AllowMutableSchedulingDirectives: suspended,
				AllowMutablePodResources:         suspended,
			})
		},
		status: func(j, old *batch.Job) field.ErrorList {
			return validation.ValidateJobUpdateStatus(j, old, jobStatusOptions(j, old))
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

// jobSelectors gives a new Job the selector of its Pods, by its uid, and the labels
// that go with it.
var jobSelectors = controlloop.Allotment{
	Of: func(controlloop.Object) []string { return nil },
	Give: func(obj, old controlloop.Object, _ func(string) bool) field.ErrorList {
		if j := obj.(*batchv1.Job); old == nil && !ptr.Deref(j.Spec.ManualSelector, false) {
			selecting(j)
		}
		return nil
	},
}

func selecting(j *batchv1.Job) {
	uid := string(j.UID)
	labels := map[string]string{
		batch.LegacyJobNameLabel: j.Name, batch.JobNameLabel: j.Name,
		batch.LegacyControllerUidLabel: uid, batch.ControllerUidLabel: uid,
	}
	maps.Copy(labels, j.Spec.Template.Labels)
	j.Spec.Template.Labels = labels
	if len(j.Labels) == 0 && len(utilvalidation.IsValidLabelValue(j.Name)) == 0 {
		j.Labels = maps.Clone(labels)
	}
	selector := j.Spec.Selector.DeepCopy()
	if selector == nil {
		selector = &metav1.LabelSelector{}
	}
	if _, given := selector.MatchLabels[batch.ControllerUidLabel]; !given {
		metav1.AddLabelToSelector(selector, batch.ControllerUidLabel, uid)
	}
	j.Spec.Selector = selector
}

// jobStatusOptions asks for each rule whose fields change. (Kubernetes:
// getStatusValidationOptions in pkg/registry/batch/job/strategy.go.)
func jobStatusOptions(j, old *batch.Job) validation.JobStatusValidationOptions {
	next, was := j.Status, old.Status
	turned := func(condition batch.JobConditionType) bool {
		return validation.IsConditionTrue(next.Conditions, condition) !=
			validation.IsConditionTrue(was.Conditions, condition)
	}
	complete, failed := turned(batch.JobComplete), turned(batch.JobFailed)
	finished := validation.IsJobFinished(j) != validation.IsJobFinished(old)
	active, ready := next.Active != was.Active, !ptr.Equal(next.Ready, was.Ready)
	completed := next.CompletedIndexes != was.CompletedIndexes
	failures := !ptr.Equal(next.FailedIndexes, was.FailedIndexes)
	began := !ptr.Equal(next.StartTime, was.StartTime)
	ended := !ptr.Equal(next.CompletionTime, was.CompletionTime)
	resumes := validation.IsConditionTrue(was.Conditions, batch.JobSuspended) &&
		validation.IsConditionFalse(next.Conditions, batch.JobSuspended)
	indexed := ptr.Deref(j.Spec.CompletionMode, "") == batch.IndexedCompletion
	idle := ptr.Deref(j.Spec.Suspend, false) && ptr.Deref(j.Spec.Completions, 1) == 0
	return validation.JobStatusValidationOptions{
		RejectDecreasingSucceededCounter: !indexed ||
			!ptr.Equal(j.Spec.Completions, j.Spec.Parallelism),
		RejectDecreasingFailedCounter:                true,
		RejectDisablingTerminalCondition:             true,
		RejectInvalidCompletedIndexes:                completed,
		RejectInvalidFailedIndexes:                   failures,
		RejectCompletedIndexesForNonIndexedJob:       completed,
		RejectFailedIndexesForNoBackoffLimitPerIndex: failures,
		RejectFailedIndexesOverlappingCompleted:      failures || completed,
		RejectFailedJobWithoutFailureTarget:          failed || failures,
		RejectCompleteJobWithoutSuccessCriteriaMet: complete ||
			turned(batch.JobSuccessCriteriaMet),
		RejectFinishedJobWithActivePods:   finished || active,
		RejectFinishedJobWithoutStartTime: (finished || began) && !idle,
		RejectFinishedJobWithUncountedTerminatedPods: finished || !equality.Semantic.DeepEqual(
			next.UncountedTerminatedPods, was.UncountedTerminatedPods),
		RejectStartTimeUpdateForUnsuspendedJob:      began && !resumes,
		RejectCompletionTimeBeforeStartTime:         began || ended,
		RejectMutatingCompletionTime:                true,
		RejectNotCompleteJobWithCompletionTime:      complete || ended,
		RejectCompleteJobWithoutCompletionTime:      complete || ended,
		RejectCompleteJobWithFailedCondition:        complete || failed,
		RejectCompleteJobWithFailureTargetCondition: complete || turned(batch.JobFailureTarget),
		RejectMoreReadyThanActivePods:               ready || active,
		RejectFinishedJobWithTerminatingPods: finished ||
			!ptr.Equal(next.Terminating, was.Terminating),
	}
}

func warnOfJob(path *field.Path, spec, old *batch.JobSpec) []string {
	return job.WarningsForJobSpec(context.Background(), path, spec, old)
}
