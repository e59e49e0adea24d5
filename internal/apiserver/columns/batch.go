package columns

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
)

// Job is what a table shows of Jobs.
var Job = of(jobCells,
	name,
	text("Status", "Status of the job."),
	text("Completions", batchv1.JobStatus{}.SwaggerDoc()["succeeded"]),
	text("Duration", "Time required to complete the job."),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", batchv1.JobSpec{}.SwaggerDoc()["selector"])),
)

func jobCells(j *batchv1.Job, now time.Time) []any {
	names, images := containerCells(j.Spec.Template.Spec.Containers)
	return []any{
		j.Name,
		jobStatus(j),
		completions(j),
		jobDuration(j, now),
		age(j.CreationTimestamp, now),
		names,
		images,
		metav1.FormatLabelSelector(j.Spec.Selector),
	}
}

func jobStatus(j *batchv1.Job) string {
	has := map[batchv1.JobConditionType]bool{}
	for _, c := range j.Status.Conditions {
		has[c.Type] = has[c.Type] || c.Status == corev1.ConditionTrue
	}
	switch {
	case has[batchv1.JobComplete]:
		return "Complete"
	case has[batchv1.JobFailed]:
		return "Failed"
	case j.DeletionTimestamp != nil:
		return "Terminating"
	}
	for _, c := range []batchv1.JobConditionType{
		batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet,
	} {
		if has[c] {
			return string(c)
		}
	}
	return "Running"
}

// completions returns how many Pods have succeeded, of those that shall: "1/3".
func completions(j *batchv1.Job) string {
	switch parallel := ptr.Deref(j.Spec.Parallelism, 0); {
	case j.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", j.Status.Succeeded, *j.Spec.Completions)
	case parallel > 1:
		return fmt.Sprintf("%d/1 of %d", j.Status.Succeeded, parallel)
	}
	return fmt.Sprintf("%d/1", j.Status.Succeeded)
}

func jobDuration(j *batchv1.Job, now time.Time) string {
	if j.Status.StartTime == nil {
		return ""
	}
	if end := j.Status.CompletionTime; end != nil {
		now = end.Time
	}
	return duration.HumanDuration(now.Sub(j.Status.StartTime.Time))
}

// CronJob is what a table shows of CronJobs.
var CronJob = of(cronJobCells,
	name,
	text("Schedule", batchv1.CronJobSpec{}.SwaggerDoc()["schedule"]),
	text("Timezone", batchv1.CronJobSpec{}.SwaggerDoc()["timeZone"]),
	boolean("Suspend", batchv1.CronJobSpec{}.SwaggerDoc()["suspend"]),
	integer("Active", batchv1.CronJobStatus{}.SwaggerDoc()["active"]),
	text("Last Schedule", batchv1.CronJobStatus{}.SwaggerDoc()["lastScheduleTime"]),
	created,
	containersColumn,
	imagesColumn,
	wide(text("Selector", batchv1.JobSpec{}.SwaggerDoc()["selector"])),
)

func cronJobCells(c *batchv1.CronJob, now time.Time) []any {
	last := "<none>"
	if c.Status.LastScheduleTime != nil {
		last = age(*c.Status.LastScheduleTime, now)
	}
	suspend := "<unset>"
	if c.Spec.Suspend != nil {
		suspend = map[bool]string{true: "True", false: "False"}[*c.Spec.Suspend]
	}
	job := c.Spec.JobTemplate.Spec
	names, images := containerCells(job.Template.Spec.Containers)
	return []any{
		c.Name,
		c.Spec.Schedule,
		ptr.Deref(c.Spec.TimeZone, "<none>"),
		suspend,
		int64(len(c.Status.Active)),
		last,
		age(c.CreationTimestamp, now),
		names,
		images,
		metav1.FormatLabelSelector(job.Selector),
	}
}
