package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	tidy "reconcile/chapters/01-control-loop/exercises/1.9"
	"reconcile/internal/lab"
)

func TestPodsThatHaveEndedGoIfThatWasChosen(t *testing.T) {
	for ended, left := range map[string]int{"": 1, "stay": 1, "tidy": 0} {
		running(t, lab.Options{Nodes: 1, Choices: lab.Choices{Ended: ended}}, func(f fixture) {
			job := pod("default", "job")
			job.Annotations = map[string]string{tidy.KeepAnnotation: "10s"}
			job.Spec.RestartPolicy = corev1.RestartPolicyNever
			job.Spec.Containers[0].Command = []string{"sleep", "5"}
			f.create(job)
			time.Sleep(time.Minute)
			assert.Len(f.t, f.pods("default"), left, "ended %q", ended)
		})
	}
	_, err := lab.New(lab.Options{Choices: lab.Choices{Ended: "fly"}})
	assert.EqualError(t, err, `a Pod that has ended can't "fly"; it can stay or tidy`)
}
