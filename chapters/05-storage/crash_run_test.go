package storage_test

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// says returns a write to a claim or a volume in a line, or "".
func says(w controlloop.Write) string {
	switch obj := w.Object.(type) {
	case *corev1.PersistentVolume:
		return line("volume", obj, string(obj.Status.Phase), claimed(obj))
	case *corev1.PersistentVolumeClaim:
		return line("claim", obj, string(obj.Status.Phase), obj.Spec.VolumeName)
	}
	return ""
}

func claimed(v *corev1.PersistentVolume) string {
	if v.Spec.ClaimRef == nil {
		return ""
	}
	return v.Spec.ClaimRef.Name
}

func line(kind string, obj controlloop.Object, phase, to string) string {
	if to == "" {
		to = "nothing"
	}
	return fmt.Sprintf("%-6s %-5s names %-7s  %s", kind, obj.GetName(), to, phase)
}

// A binder is killed after each of its four writes, and another begins.
func TestRunOfABindingThatIsKilled(t *testing.T) {
	var log bytes.Buffer
	for k := 1; k <= 4; k++ {
		in(t, binderOnly, func(c *kubetest.Cluster) {
			kubetest.Create(c, volume("nfs", "1Gi"))
			c.Settle()
			c.Client.CrashAtWrite(c.Client.Writes()+k, kubetest.After)
			kubetest.Create(c, claim("data", "1Gi"))
			c.Settle()
			fmt.Fprintf(&log, "# part: killed-%d\n# killed after write %d; what is there:\n", k, k)
			v, mine := kubetest.Get(c, volume("nfs", "1Gi")), kubetest.Get(c, claim("data", "1Gi"))
			fmt.Fprintln(&log, says(controlloop.Write{Object: v}))
			fmt.Fprintln(&log, says(controlloop.Write{Object: mine}))
			before := len(c.Writes())
			c.Restart()
			c.Settle()
			fmt.Fprintln(&log, "# and what the next one writes:")
			for _, w := range c.Writes()[before:] {
				fmt.Fprintln(&log, says(w.Write))
			}
			if before == len(c.Writes()) {
				fmt.Fprintln(&log, "nothing")
			}
		})
	}
	kubetest.Recorded(t, "killed.txt", log.Bytes())
}
