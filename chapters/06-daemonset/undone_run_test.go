package daemonset_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"reconcile/internal/kubetest"
)

// A DaemonSet is taken back, and back once more: which revisions there are after
// each command, as figures/undone.svg has it, the oldest object first.
func TestRunOfARevisionThatIsTakenBack(t *testing.T) {
	type revision struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Number  int64  `json:"number"`
	}
	type command struct {
		Typed     string     `json:"typed"`
		Revisions []revision `json:"revisions"`
	}
	var commands []command
	onDaemons(t, 3, func(c *kubetest.Cluster) {
		var known []types.UID // in order of creation
		after := func(typed string) {
			settleDaemons(c)
			now := revisionsThereAre(c)
			for _, r := range now {
				if !slices.Contains(known, r.UID) {
					known = append(known, r.UID)
				}
			}
			recorded := make([]revision, len(known))
			for _, r := range now {
				_, version, _ := strings.Cut(versionIn(r), ":")
				recorded[slices.Index(known, r.UID)] = revision{r.Name, version, r.Revision}
			}
			commands = append(commands, command{typed, recorded})
		}
		kubetest.Create(c, logs(image("logs:v1")))
		after("create v1")
		change(c, image("logs:v2"))
		after("set image v2")
		for range 2 {
			all := revisionsThereAre(c)
			change(c, image(versionIn(all[len(all)-2])))
			after("undo")
		}
	})
	kubetest.RecordedJSON(t, "undone.json", map[string]any{"commands": commands})
}
