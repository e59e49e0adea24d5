package exercise_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

// withRooms adds a package below the chapter's root, with two exercises in it:
// 1h and 1i.
func withRooms(t *testing.T) fixture {
	t.Helper()
	return newFixture(t).with("rooms")
}

func TestAnExerciseIsInTheFolderOfItsMarks(t *testing.T) {
	f := withRooms(t)
	write := f.exercise("1h")
	assert.Equal(t, "node", write.Folder)
	assert.Equal(t, "Room", write.Functions[0].Name)
	assert.Len(t, write.Tests, 2)
	assert.Equal(t, "chapters/01-counting/node/node.go", write.Path(write.Functions[0].File.Name))
	assert.Equal(t, "node", f.exercise("1i").Folder)
	assert.Empty(t, f.exercise("1b").Folder)
}

func TestLoadNamesWhatIsWrongWithMarksInRooms(t *testing.T) {
	const mark = "\n//\n//book:exercise "
	for name, test := range map[string]struct{ file, old, with, problem string }{
		"in two folders": {"room.go", " has room for.", " has room for." + mark + "1h",
			"exercises/1h.md:1: exercise 1h has marks in . and in node: one folder has all of them"},
		"of no exercise": {"node/node.go", " room for none.", " room for none." + mark + "1j",
			"node/node.go:9: full is marked //book:exercise 1j: there is no exercises/1j.md"},
		"a test of another folder": {"exercises/1h.md", "`TestRoomIsWhatIsLeft`.", "`TestANodeHasRoomForOneMore`.",
			`exercises/1h.md:29: "There is always room" is caught by TestANodeHasRoomForOneMore, which is no test of 01-counting/node`},
		"a function of another folder": {"exercises/1i.md", "func full(most", "func room(most",
			`exercises/1i.md:21: "It is one off" replaces room, which 01-counting/node does not declare`},
		"no code": {"node/node.go", "package node\n", "package node {\n",
			"node/node.go:2: expected ';', found '{'"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withRooms(t)
			f.replace(test.file, test.old, test.with)
			_, err := f.load()
			assert.Contains(t, strings.ReplaceAll(strings.Join(f.problems(err), "\n"), f.chapter, "."), test.problem)
		})
	}
}

func TestProveGoesByFolder(t *testing.T) {
	t.Parallel()
	f := withRooms(t)
	options := exercise.Options{Memory: t.TempDir(), Open: exercise.OpenEach}
	report, err := f.prove(options)
	const stale = "here the tests say something else now: `go run ./cmd/bookgen check --update` writes it"
	assert.Equal(t, []string{"exercises/reach.txt:1: " + stale, "exercises/wrong-answers.txt:32: " + stale}, f.problems(err))
	assert.Equal(t, 3, report.Stubs)
	assert.Equal(t, 1, report.Faults)
	assert.Equal(t, 9, report.WrongAnswers)
	options.Update = true
	again, err := f.prove(options)
	require.NoError(t, err)
	assert.Zero(t, again.Started)
	assert.Regexp(t, `\nnode/TestANodeIsFull \d+ 1h 1i\n`, f.read("exercises/reach.txt"))
	assert.Contains(t, f.read("exercises/wrong-answers.txt"), "\n1h There is room for less than none\n  TestRoomIsNeverLessThanNone\n")

	f.write("manifests/most.txt", "yyy\n")
	again, err = f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, report.Started-2, again.Started, "tests of a room read what is the chapter's, and one reaches what is known by now")

	f.replace("exercises/1i.txt", "false", "true")
	f.replace("node/node_test.go", "got != 2", "got == 2")
	options.Update = false
	_, err = f.prove(options)
	problems := strings.Join(f.problems(err), "\n")
	assert.Contains(t, problems, "node/node_test.go:12: TestRoomIsWhatIsLeft fails on the reference:\n\tnode_test.go:15: 3 fit, 1 is there: room for 2")
	assert.Contains(t, problems, "exercises/1i.txt:1: here the tests say something else now")
}

// The root stands on its rooms: their exercises are open to its tests as well.
func TestTheRootIsTriedWithTheExercisesOfItsRoomsOpen(t *testing.T) {
	t.Parallel()
	f := withRooms(t)
	f.replace("room_test.go", "if got", "_ = make([]int, room(nil)-1)\n\tif got")
	options := exercise.Options{Memory: t.TempDir(), Update: true}
	_, err := f.prove(options)
	require.NoError(t, err)
	options.Open = exercise.OpenAll
	_, err = f.prove(options)
	assert.Equal(t, "exercises/1h.md:1: with the stub of 1h, the whole chapter panics:", f.problems(err)[0])
}
