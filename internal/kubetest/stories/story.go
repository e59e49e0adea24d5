package stories

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
)

// World is the place of a story: a store, and controllers that act on it.
type World struct {
	Store *controlloop.Store
	// Writes returns all writes so far.
	Writes func() []controlloop.Write
	// Events returns what the controllers of ReplicaSets and Deployments have
	// told of Deployments so far: "Normal ScalingReplicaSet: Scaled up …".
	Events func() []string
	// Advance lets everything come to rest while time passes.
	Advance func(time.Duration)
	// Undo does what kubectl rollout undo does; revision 0 is the one before.
	Undo func(key controlloop.Key, revision int64) error
}

// story is one that is being played.
type story struct {
	World
	t    testing.TB
	slow bool // Pods end only when they are told to
	seen seen
	out  strings.Builder
}

// Play plays the story of a file and returns it with the events of this World
// in the place of those that are written there.
func Play(t testing.TB, file string, world World) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := &story{World: world, t: t}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		step, isStep := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "#"):
			fmt.Fprintln(&s.out, line)
		case isStep:
			fmt.Fprintf(&s.out, "\n> %s\n", step)
			s.step(strings.Fields(step))
		}
	}
	return s.out.String()
}

// settle lets everything come to rest, and writes down the changes. A second
// passes, so that objects of different steps have different ages.
func (s *story) settle() {
	s.t.Helper()
	s.Advance(time.Second)
	for !s.slow && s.endOne() {
		s.Advance(time.Second)
	}
	s.observe()
}
