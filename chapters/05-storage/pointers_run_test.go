package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// end is one of the two that are bound, as figures/pointers.svg has it.
type end struct {
	Phase string `json:"phase"`
	To    string `json:"to"`
}

func endOfVolume(v *corev1.PersistentVolume) end {
	e := end{Phase: string(v.Status.Phase)}
	if v.Spec.ClaimRef != nil {
		e.To = v.Spec.ClaimRef.Name
	}
	return e
}

func endOfClaim(c *corev1.PersistentVolumeClaim) end {
	return end{string(c.Status.Phase), c.Spec.VolumeName}
}

// state is what a binder that is killed after a write leaves behind.
type state struct {
	Wrote  []string `json:"wrote"`
	Volume end      `json:"volume"`
	Claim  end      `json:"claim"`
	Left   int      `json:"left"` // writes that the next one makes
}

// wrote returns the fields that a write has changed and that people look at.
func wrote(w kubetest.Write) (fields []string) {
	note := func(name string, changed bool) {
		if changed {
			fields = append(fields, name)
		}
	}
	var was, is end
	switch obj := w.Object.(type) {
	case *corev1.PersistentVolume:
		was, is = endOfVolume(w.Old.(*corev1.PersistentVolume)), endOfVolume(obj)
		note("claimRef", was.To != is.To)
	case *corev1.PersistentVolumeClaim:
		was, is = endOfClaim(w.Old.(*corev1.PersistentVolumeClaim)), endOfClaim(obj)
		note("volumeName", was.To != is.To)
	}
	note("bind-completed", w.Old.GetAnnotations()[completed] != w.Object.GetAnnotations()[completed])
	note("phase", was.Phase != is.Phase)
	return fields
}

// A binder is killed before the first of the four writes of a binding, and after
// each of them. The recording has the store as it is then, and the writes that
// are left to the next.
func TestRunOfABindingThatIsKilledAfterEachWrite(t *testing.T) {
	const available = 1 // the write that comes before a claim does
	var states []state
	for write := available; write <= available+4; write++ {
		in(t, binderOnly, func(c *kubetest.Cluster) {
			c.Client.CrashAtWrite(write, kubetest.After)
			kubetest.Create(c, volume("nfs", "1Gi"))
			c.Settle()
			kubetest.Create(c, claim("data", "1Gi"))
			c.Settle()
			require.True(t, c.Crashed())
			writes := c.Writes()
			now := state{
				Wrote:  []string{},
				Volume: endOfVolume(kubetest.Get(c, volume("nfs", "1Gi"))),
				Claim:  endOfClaim(kubetest.Get(c, claim("data", "1Gi"))),
			}
			if write > available {
				now.Wrote = wrote(writes[len(writes)-1])
			}
			c.Restart()
			c.Settle()
			now.Left = len(c.Writes()) - len(writes)
			states = append(states, now)
		})
	}
	kubetest.RecordedJSON(t, "pointers.json", map[string]any{
		"volume": "nfs", "claim": "data", "states": states,
	})
}
