package scene

import (
	"testing"
	"testing/synctest"
	"time"

	"reconcile/internal/script"
	"reconcile/internal/trace"
	"reconcile/internal/trace/why"
)

// Played is the result of a scene.
type Played struct {
	Text    []byte // the scene, with its output
	Trace   []byte // nil: the scene asks for none
	Writers []byte // who wrote what; nil: the scene does not ask
	Acts    []byte // what followed a deletion; nil: the scene does not ask
	Record  []byte // what the controllers did, in short; nil: the scene does not ask

	Look   *trace.Recorder // what the controllers did, from the first step on
	Faults [][]string      // by step: what waits to strike controllers, and what has struck them
	Waits  why.Notes       // what objects have waited for; nil: nobody looked
}

// Play plays a scene of the chapter in this folder, and writes the output into
// the script. Kubectl keeps what it knows of the API in cache. An error says
// with file and line why the scene could not be played to its end. Two scenes
// cannot be played at the same time.
func Play(t *testing.T, s *script.Script, chapter, cache string) (Played, error) {
	t.Helper()
	var all Played
	err := GoOn(t, s, chapter, cache, false, func(played Played) *script.Script {
		all = played
		return nil
	})
	return all, err
}

// GoOn plays a scene as [Play] does, and then the one that next returns, which gets
// what was played: time stands still meanwhile. That one has the steps of the one
// before, and more; only these are performed, and what is printed is what Play
// would have printed. GoOn ends when next returns nil, or a scene that has to be
// played from its beginning. What the controllers do is recorded if somebody looks.
func GoOn(
	t *testing.T, s *script.Script, chapter, cache string, looks bool,
	next func(Played) *script.Script,
) error {
	t.Helper()
	return PlayBeside(t, s, chapter, cache, looks, Others{}, next)
}

// PlayBeside plays a scene, and goes on, as [GoOn] does, in a lab in which others
// take the place of some controllers. They can't be paused, crashed or restarted.
func PlayBeside(
	t *testing.T, s *script.Script, chapter, cache string, looks bool, others Others,
	next func(Played) *script.Script,
) error {
	t.Helper()
	if err := prepare(t, chapter); err != nil {
		return err
	}
	stray, err := catchStray(t)
	if err != nil {
		return err
	}
	home := t.TempDir()
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(start))
		st := &stage{script: s, home: home, cache: cache, stray: stray, looks: looks, others: others}
		defer st.close()
		for more := true; more && err == nil; {
			var played Played
			if played, err = st.play(); err == nil {
				more = st.resume(next(played))
			}
		}
	})
	return err
}
