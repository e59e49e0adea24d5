package wastebasket_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	wastebasket "reconcile/chapters/05-storage/exercises/5g"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// basket is one in a folder of its own.
type basket struct {
	wastebasket.Basket
	t *testing.T
}

// in runs a test with one, which is to leave nothing open.
func in(t *testing.T, test func(b basket)) {
	t.Helper()
	root := t.TempDir()
	kubetest.Closes(t, root)
	synctest.Test(t, func(t *testing.T) {
		test(basket{wastebasket.Basket{Root: root, Keep: time.Hour}, t})
	})
}

// made makes a disk, and writes a line on it.
func (b basket) made(disk, line string) {
	b.t.Helper()
	require.NoError(b.t, b.Make(disk))
	require.NoError(b.t, os.WriteFile(
		filepath.Join(b.Root, "volumes", disk, "line"), []byte(line), 0o600))
}

func (b basket) removed(disk string) {
	b.t.Helper()
	require.NoError(b.t, b.Remove(disk))
}

// lines returns the lines that can be read on the disks in the basket.
func (b basket) lines() string {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.Root, "trash", "*", "line"))
	require.NoError(b.t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(b.t, err)
		all = append(all, string(text))
	}
	return strings.Join(all, ", ")
}

//book:exercise 5g
func TestWhatIsThrownAwayCanBeTakenOut(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "forty-two")
		b.removed("pvc-1")
		assert.NoDirExists(t, filepath.Join(b.Root, "volumes", "pvc-1"))
		assert.Equal(t, "forty-two", b.lines())
	})
}

//book:exercise 5g
func TestWhatHasBeenInTheBasketForLongEnoughGoes(t *testing.T) {
	in(t, func(b basket) {
		for _, disk := range []string{"first", "second", "young"} {
			b.made(disk, disk)
		}
		b.removed("first")
		time.Sleep(time.Minute)
		b.removed("second")
		time.Sleep(39 * time.Minute)
		b.removed("young")
		time.Sleep(20 * time.Minute)
		b.removed("nothing")
		assert.Equal(t, "first, second, young", b.lines(), "an hour is no longer than an hour")
		time.Sleep(5 * time.Minute)
		b.removed("nothing")
		assert.Equal(t, "young", b.lines())
		time.Sleep(time.Hour)
		b.removed("nothing")
		assert.Empty(t, b.lines(), "it was the last one in there")
	})
}

// The provisioner may be killed between the disk and the volume, and asks again.
//
//book:exercise 5g
func TestItMayBeAskedAgain(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "once")
		b.removed("pvc-1")
		time.Sleep(time.Second)
		b.removed("pvc-1")
		assert.Equal(t, "once", b.lines())
	})
}

//book:exercise 5g
func TestADiskOfTheSameNameDoesNotTakeThePlaceOfTheFirst(t *testing.T) {
	in(t, func(b basket) {
		for _, line := range []string{"first", "second"} {
			b.made("index", line)
			b.removed("index")
			time.Sleep(time.Millisecond)
		}
		assert.Equal(t, "first, second", b.lines())
	})
}

// The root holds other things as well, and the basket may too.
//
//book:exercise 5g
func TestNothingElseIsTouched(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "mine")
		pods := filepath.Join(b.Root, "pods")
		require.NoError(t, os.MkdirAll(pods, 0o755))
		for _, wrong := range []string{"../pods", "..", ".", "", "pvc-1/line", "/etc"} {
			assert.Error(t, b.Remove(wrong), "%q", wrong)
		}
		assert.DirExists(t, pods)
		assert.FileExists(t, filepath.Join(b.Root, "volumes", "pvc-1", "line"))
		b.made("old", "old")
		b.removed("old")
		notes := []string{filepath.Join(b.Root, "trash", "do not touch"), filepath.Join(b.Root, "trash", ".keep")}
		for _, note := range notes {
			require.NoError(t, os.MkdirAll(note, 0o755))
		}
		time.Sleep(24 * time.Hour)
		b.removed("pvc-1")
		assert.Equal(t, "mine", b.lines(), "what is ours goes all the same")
		for _, note := range notes {
			_, err := os.Stat(note)
			assert.False(t, errors.Is(err, fs.ErrNotExist), "somebody's %q is gone", filepath.Base(note))
		}
	})
}

// A caller that is told that a disk is gone forgets it.
//
//book:exercise 5g
func TestNobodyIsToldThatADiskIsGoneThatIsNot(t *testing.T) {
	in(t, func(b basket) {
		noRoot := filepath.Join(b.Root, "no folder")
		require.NoError(t, os.WriteFile(noRoot, nil, 0o600))
		assert.Error(t, wastebasket.Basket{Root: noRoot}.Remove("pvc-1"))

		b.made("pvc-1", "first")
		trash := filepath.Join(b.Root, "trash")
		require.NoError(t, os.WriteFile(trash, nil, 0o600))
		assert.Error(t, b.Remove("pvc-1"), "there is a file where the basket should be")
		require.NoError(t, os.Remove(trash))
		b.removed("pvc-1")

		b.made("pvc-1", "second")
		if b.Remove("pvc-1") == nil { // in the same instant as the first
			assert.NoDirExists(t, filepath.Join(b.Root, "volumes", "pvc-1"))
		}
		time.Sleep(time.Millisecond)
		b.removed("pvc-1")
		assert.Equal(t, "first, second", b.lines())
	})
}

//book:exercise 5g
func TestWhatCannotBeEmptiedIsTold(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "old")
		b.removed("pvc-1")
		require.Equal(t, "old", b.lines())
		defer meetLocks(t)()
		trash := filepath.Join(b.Root, "trash")
		all, err := filepath.Glob(filepath.Join(trash, "*"))
		require.NoError(t, err)
		require.Len(t, all, 1)
		time.Sleep(2 * b.Keep)
		for locked, mode := range map[string]os.FileMode{
			all[0]: 0o500, // nothing can be taken out of it
			trash:  0o300, // it cannot be listed
		} {
			require.NoError(t, os.Chmod(locked, mode))
			assert.Error(t, b.Remove("nothing"), locked)
			require.NoError(t, os.Chmod(locked, 0o700))
		}
	})
}
