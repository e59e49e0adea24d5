package storage_test

import (
	"testing"

	"reconcile/internal/kubetest"
)

// The binder is killed after its second write, as the hasty one was, and there is
// another claim when the next one begins. The recording has the three moments, and
// how many writes the next one makes.
func TestRunOfABinderThatIsKilledBeforeARivalComes(t *testing.T) {
	const killed = 2
	in(t, binderOnly, func(c *kubetest.Cluster) {
		var moments []map[string]end
		look := func(claims ...string) {
			now := map[string]end{"nfs": endOfVolume(kubetest.Get(c, volume("nfs", "1Gi")))}
			for _, name := range claims {
				now[name] = endOfClaim(kubetest.Get(c, claim(name, "1Gi")))
			}
			moments = append(moments, now)
		}
		kubetest.Create(c, volume("nfs", "1Gi"))
		c.Settle()
		c.Client.CrashAtWrite(c.Client.Writes()+killed, kubetest.After)
		kubetest.Create(c, claim("data", "1Gi"))
		c.Settle()
		look("data")
		kubetest.Create(c, claim("logs", "1Gi"))
		look("data", "logs")
		before := len(c.Writes())
		c.Restart()
		c.Settle()
		look("data", "logs")
		kubetest.RecordedJSON(t, "rival.json", map[string]any{
			"killed": killed, "moments": moments, "writes": len(c.Writes()) - before,
		})
	})
}
