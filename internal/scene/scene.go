package scene

import (
	"testing"
	"testing/synctest"
	"time"

	"reconcile/internal/scene/script"
)

// Played is what has come of a scene.
type Played struct {
	Text  []byte // the scene, with what was printed
	Trace []byte // nil: the scene asks for none
}

// Play plays a scene of the chapter in this folder, and writes what is printed
// into the script. Kubectl keeps what it knows of the API in cache. The test
// fails where a scene cannot be played to its end; Play must not run twice at
// the same time.
func Play(t *testing.T, s *script.Script, chapter, cache string) Played {
	t.Helper()
	prepare(t, chapter)
	home := t.TempDir()
	var played Played
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(start))
		stage := newStage(t, s, home, cache)
		defer stage.close()
		for _, step := range s.Steps {
			stage.perform(step)
		}
		trace, err := stage.trace.json()
		if err != nil {
			stage.fail("%v", err)
		}
		played = Played{s.Format(), trace}
	})
	return played
}
