package scene

import (
	"testing"
	"testing/synctest"
	"time"

	"reconcile/internal/script"
)

// Played is the result of a scene.
type Played struct {
	Text    []byte // the scene, with its output
	Trace   []byte // nil: the scene asks for none
	Writers []byte // who wrote what; nil: the scene does not ask
}

// Play plays a scene of the chapter in this folder, and writes the output into
// the script. Kubectl keeps what it knows of the API in cache. An error says
// with file and line why the scene could not be played to its end. Two scenes
// cannot be played at the same time.
func Play(t *testing.T, s *script.Script, chapter, cache string) (Played, error) {
	t.Helper()
	if err := prepare(t, chapter); err != nil {
		return Played{}, err
	}
	stray, err := catchStray(t)
	if err != nil {
		return Played{}, err
	}
	home := t.TempDir()
	var played Played
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(start))
		st := &stage{script: s, home: home, cache: cache, stray: stray}
		defer st.close()
		if err = st.play(); err == nil {
			played.Text = s.Format()
			played.Trace, err = st.trace.json()
		}
		if err == nil && s.Setting("writers", "") != "" {
			played.Writers, err = st.trace.writers.json()
		}
	})
	return played, err
}
