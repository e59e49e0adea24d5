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
// and with exercises 1.7 and 1.8 in it.
func newReaderOfRooms(t *testing.T) *reader {
	t.Helper()
	r := newReader(t)
	require.NoError(t, os.CopyFS(r.path("chapters/01-counting"), os.DirFS(filepath.Join("..", "testdata", "rooms"))))
	return r
}

func TestAnExerciseInARoomIsWorkedOnThere(t *testing.T) {
	r := newReaderOfRooms(t)
	before := r.read(nodeGo)
	assert.Equal(t, []string{nodeGo}, r.start("1.7").Files)
	assert.Contains(t, r.read(nodeGo), "// Exercise 1.7, Room: yours to write.")
	tested, failed := r.test("1.7")
	assert.Equal(t, []string{"Room"}, tested.Empty)
	assert.Equal(t, "2 of 2 fail", tested.Result.String())
	assert.Equal(t, `t.Errorf("3 fit, 1 is there: room for %d", got)`,
		r.Assertion(tested.Exercise, failed["TestRoomIsWhatIsLeft"].Failures[0].At))

	r.write(nodeGo, r.read(nodeGo)+"}\n")
	tested, _ = r.test("1.7")
	assert.Contains(t, tested.Compiler, nodeGo+":15:1: syntax error")
	assert.Equal(t, "does not build", r.line("1.7").Last)

	_, err := r.Reset(t.Context(), "1.7", true)
	require.NoError(t, err)
	assert.Equal(t, before, r.read(nodeGo))
	assert.Equal(t, "untouched", r.line("1.7").State())
}

// The reader's own file may be gone: the exercise is known by the book's.
func TestAnExerciseInARoomIsKnownWhateverTheReaderDoes(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1.7")
	require.NoError(t, os.Remove(r.path(nodeGo)))
	assert.Equal(t, "started", r.line("1.7").State())
	assert.Equal(t, []string{nodeGo}, r.reset("1.7").Files)
	assert.Contains(t, r.read(nodeGo), "max(0, most-running)")
}

// An exercise of the root stands on the book's version of those in its rooms, and
// one in a room on that of its neighbours.
func TestWhatIsOpenInARoomIsTheBooksForOthers(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1.7")
	r.start("1.8")
	tested, failed := r.test("1.8")
	assert.Equal(t, []string{"1.7"}, tested.Others)
	assert.Equal(t, "3 of 3 are there", failed["TestANodeIsFull"].Failures[0].Says)

	back, err := r.Goto(t.Context(), "1.2")
	require.NoError(t, err)
	assert.Empty(t, back.Back.Ended, "they come later")
	done, err := r.ResetAll(t.Context())
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"1.2", "1.7", "1.8"}, done.Ended)
	assert.FileExists(t, r.path(done.Kept+"/01-counting/node/node.go"))
	assert.FileExists(t, r.path(done.Kept+"/01-counting/counter.go"))
}

func TestWatchLooksIntoTheRoom(t *testing.T) {
	r := newReaderOfRooms(t)
	r.start("1.7")
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	require.NoError(t, r.Watch(ctx, "1.7", func(context.Context) {
		if runs++; runs == 2 {
			cancel()
			return
		}
		r.replace(nodeGo, "return 0", "return most")
	}))
	assert.Equal(t, 2, runs)
}
