package statefulset_test

import (
	"bytes"
	"fmt"
	"testing"

	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// The whole names that are tried, one after the other, for the name that a
// program gives.
func TestRunOfWhatIsTried(t *testing.T) {
	var log bytes.Buffer
	pod := kubetest.Pod("asker")
	pod.Namespace = "default"
	resolver := town(t).For(pod).(*statefulset.Resolver)
	for _, said := range []string{
		"web-0.nginx", "nginx.shop", "example.com", "example.com.",
	} {
		fmt.Fprintln(&log, said)
		for _, whole := range resolver.Candidates(said) {
			fmt.Fprintf(&log, "  %s\n", whole)
		}
	}
	kubetest.Recorded(t, "tried.txt", log.Bytes())
}
