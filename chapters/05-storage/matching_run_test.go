package storage_test

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// Five volumes exist, and six claims come, one after the other; then a sixth
// volume. Exercise 5b asks which claim gets which.
func TestRunOfWhoGetsWhat(t *testing.T) {
	var log bytes.Buffer
	in(t, binderOnly, func(c *kubetest.Cluster) {
		for _, v := range []*corev1.PersistentVolume{
			volume("ant", "1Gi", can(rwo, rwx)), volume("bee", "20Gi"), volume("cat", "5Gi"),
			volume("dog", "5Gi", labelled("disk", "fast")), volume("elk", "50Gi", reservedFor("zoe")),
		} {
			kubetest.Create(c, v)
		}
		c.Settle()
		fmt.Fprintln(&log, "# there are ant, bee, cat, dog and elk")
		report := func(name string) {
			mine := kubetest.Get(c, claim(name, "1Gi"))
			got := mine.Spec.VolumeName
			if got == "" {
				got = "nothing"
			}
			fmt.Fprintf(&log, "%-4s gets %s\n", name, got)
		}
		for _, mine := range []*corev1.PersistentVolumeClaim{
			claim("ada", "1Gi"), claim("ben", "5Gi", selecting("disk", "fast")), claim("cleo", "2Gi", by(rwx)),
			claim("dan", "10Gi"), claim("eve", "10Gi"), claim("zoe", "1Gi"),
		} {
			kubetest.Create(c, mine)
			c.Settle()
			report(mine.Name)
		}
		kubetest.Create(c, volume("fox", "80Gi"))
		c.Settle()
		fmt.Fprintln(&log, "# fox, of 80Gi, is new")
		for _, name := range []string{"cleo", "eve"} {
			report(name)
		}
		kubetest.Recorded(t, "../exercises/5b.txt", log.Bytes())
	})
}
