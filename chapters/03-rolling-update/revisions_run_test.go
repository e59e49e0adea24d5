package rollingupdate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// A numberedSet is a ReplicaSet after a command, as figures/revisions.svg has it.
type numberedSet struct {
	Revision string `json:"revision"`
	Pods     int32  `json:"pods"`
}

// Three templates, two ways back and a restart: the number of each ReplicaSet
// after each command, the oldest ReplicaSet first.
func TestRunOfTheRevisions(t *testing.T) {
	type command struct {
		Typed string        `json:"typed"`
		Sets  []numberedSet `json:"sets"`
	}
	var commands []command
	var versions []string // of their images
	in(t, rolled(), func(c *kubetest.Cluster) {
		var known []types.UID // in order of creation
		after := func(typed string) {
			c.Advance(time.Minute)
			now := command{Typed: typed}
			found := map[types.UID]*appsv1.ReplicaSet{}
			for _, rs := range sets(c) {
				found[rs.UID] = rs
				if !slices.Contains(known, rs.UID) {
					known = append(known, rs.UID)
					_, version, _ := strings.Cut(rs.Spec.Template.Spec.Containers[0].Image, ":")
					versions = append(versions, version)
				}
			}
			for _, uid := range known {
				now.Sets = append(now.Sets, numberedSet{revision(found[uid]), *found[uid].Spec.Replicas})
			}
			commands = append(commands, now)
		}
		kubetest.Create(c, web("web", 3))
		after("create")
		for _, version := range []string{"v2", "v3"} {
			edit(c, "web", image("web:"+version))
			after("set image " + version)
		}
		undo(t, c, "web", 0)
		after("undo")
		undo(t, c, "web", 1)
		after("undo to 1")
		require.NoError(t, rollingupdate.Restart(t.Context(), c.Store, kubetest.Named("web")))
		after("restart")
	})
	kubetest.RecordedJSON(t, "revisions.json", map[string]any{
		"versions": versions, "commands": commands,
	})
}
