package kubelet_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// Three Pods for five minutes, on a machine that starts what does not run, and
// under a kubelet.
func TestRunOfTheFirstSteps(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-44s %12s %12s\n", "starts in five minutes", "first form", "nextSteps")
	row := func(what string, program simulated.Program, pod *corev1.Pod) {
		var began time.Time
		var mu sync.Mutex // of starts
		var starts []time.Duration
		images := simulated.Images{
			"app": func(ctx context.Context, p *simulated.Process) int {
				mu.Lock()
				starts = append(starts, time.Since(began))
				mu.Unlock()
				return program(ctx, p)
			},
			"init": kubetest.Exits(20*time.Second, 0),
		}
		told := func() string {
			mu.Lock()
			defer mu.Unlock()
			defer func() { starts = nil }()
			if len(starts) > 1 {
				return fmt.Sprint(len(starts))
			}
			return fmt.Sprintf("1, after %v", starts[0])
		}
		var first, ours string
		synctest.Test(t, func(t *testing.T) {
			began = time.Now()
			machine := simulated.New("10.0.0", images)
			exits := make(chan controlloop.Key, 1)
			machine.OnExit(func(key controlloop.Key) { exits <- key })
			_, err := machine.Sandbox(t.Context(), pod)
			require.NoError(t, err)
			end := time.After(5 * time.Minute)
			for over := false; !over; {
				for _, c := range kubelet.FirstSteps(pod, machine.Containers(pod.UID)) {
					require.NoError(t, machine.Start(t.Context(), pod, c, nil))
				}
				select {
				case <-exits:
				case <-end:
					over = true
				}
			}
			first = told()
			machine.OnExit(func(controlloop.Key) {})
			require.NoError(t, machine.Remove(t.Context(), pod.UID))
		})
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			began = time.Now()
			kubetest.Create(c, pod)
			c.Advance(5 * time.Minute)
			ours = told()
		})
		fmt.Fprintf(&out, "%-44s %12s %12s\n", what, first, ours)
	}
	pod := func() *corev1.Pod { return kubetest.Pod("web", kubetest.Container("app", "app")) }
	row("it fails after three seconds", kubetest.Exits(3*time.Second, 1), pod())
	once := pod()
	once.Spec.RestartPolicy = corev1.RestartPolicyNever
	row("done in a minute, and restartPolicy: Never", kubetest.Exits(time.Minute, 0), once)
	prepared := pod()
	prepared.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
	row("an init container needs 20 seconds", kubetest.Sleeps(0), prepared)
	kubetest.Recorded(t, "../../testdata/first-steps.txt", out.Bytes())
}
