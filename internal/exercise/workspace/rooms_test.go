package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nodeGo = "chapters/01-counting/node/node.go"

// newReaderOfRooms returns a reader with a package below the chapter's root,
// and with exercises 1h and 1i in it.
func newReaderOfRooms(t *testing.T) *reader {
	t.Helper()
	r := newReader(t)
	require.NoError(t, os.CopyFS(r.path("chapters/01-counting"), os.DirFS(filepath.Join("..", "testdata", "rooms"))))
	return r
}

func TestAnExerciseInARoomIsWorkedOnThere(t *testing.T) {
	r := newReaderOfRooms(t)
	before := r.read(nodeGo)
	assert.Equal(t, []string{nodeGo}, r.start("1h").Files)
	assert.Contains(t, r.read(nodeGo), "// Exercise 1h, Room: yours to write.")
	tested, failed := r.test("1h")
	assert.Equal(t, []string{"Room"}, tested.Empty)
	assert.Equal(t, "2 of 2 fail", tested.Result.String())
	assert.Equal(t, `t.Errorf("3 fit, 1 is there: room for %d", got)`,
		r.Assertion(tested.Exercise, failed["TestRoomIsWhatIsLeft"].Failures[0].At))

	r.write(nodeGo, r.read(nodeGo)+"}\n")
	tested, _ = r.test("1h")
	assert.Contains(t, tested.Compiler, nodeGo+":15:1: syntax error")
	assert.Equal(t, "does not build", r.line("1h").Last)

	_, err := r.Reset(t.Context(), "1h", true)
	require.NoError(t, err)
	assert.Equal(t, before, r.read(nodeGo))
	assert.Equal(t, "untouched", r.line("1h").State())
}

// The reader's own file may be gone: the exercise is known by the book's.
func TestAnExerciseInARoomIsKnownWhateverTheReaderDoes(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1h")
	require.NoError(t, os.Remove(r.path(nodeGo)))
	assert.Equal(t, "started", r.line("1h").State())
	assert.Equal(t, []string{nodeGo}, r.reset("1h").Files)
	assert.Contains(t, r.read(nodeGo), "max(0, most-running)")
}

// An exercise of the root stands on the book's version of those in its rooms, and
// one in a room on that of its neighbours.
func TestWhatIsOpenInARoomIsTheBooksForOthers(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1h")
	r.start("1i")
	tested, failed := r.test("1i")
	assert.Equal(t, []string{"1h"}, tested.Others)
	assert.Equal(t, "3 of 3 are there", failed["TestANodeIsFull"].Failures[0].Says)

	back, err := r.Goto(t.Context(), "1c")
	require.NoError(t, err)
	assert.Empty(t, back.Back.Ended, "they come later")
	r.write(nodeGo, "// Mine.\n"+r.read(nodeGo))
	r.write(counterGo, "// Mine.\n"+r.read(counterGo))
	done, err := r.ResetAll(t.Context())
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"1c", "1h", "1i"}, done.Ended)
	assert.FileExists(t, r.path(done.Kept+"/01-counting/node/node.go"))
	assert.FileExists(t, r.path(done.Kept+"/01-counting/counter.go"))
}

func TestWatchLooksIntoTheRoom(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1h")
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	require.NoError(t, r.Watch(ctx, "1h", func(context.Context) {
		if runs++; runs == 2 {
			cancel()
			return
		}
		r.replace(nodeGo, "return 0", "return most")
	}))
	assert.Equal(t, 2, runs)
}
