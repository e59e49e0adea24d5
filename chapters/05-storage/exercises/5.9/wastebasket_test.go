package wastebasket_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	wastebasket "reconcile/chapters/05-storage/exercises/5.9"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// basket is one in a folder of its own.
type basket struct {
	wastebasket.Basket
	t *testing.T
}

func in(t *testing.T, test func(b basket)) {
	t.Helper()
	root := t.TempDir()
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

// lines are what can be read on what is in the basket.
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

//book:exercise 5.9
func TestWhatIsThrownAwayCanBeTakenOut(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "forty-two")
		b.removed("pvc-1")
		assert.NoDirExists(t, filepath.Join(b.Root, "volumes", "pvc-1"))
		assert.Equal(t, "forty-two", b.lines())
	})
}

//book:exercise 5.9
func TestWhatHasBeenInTheBasketForLongEnoughGoes(t *testing.T) {
	in(t, func(b basket) {
		b.made("old", "old")
		b.made("young", "young")
		b.removed("old")
		time.Sleep(40 * time.Minute)
		b.removed("young")
		time.Sleep(40 * time.Minute)
		b.removed("nothing")
		assert.Equal(t, "young", b.lines())
	})
}

// The provisioner may be killed between the disk and the volume, and asks again.
//
//book:exercise 5.9
func TestItMayBeAskedAgain(t *testing.T) {
	in(t, func(b basket) {
		b.made("pvc-1", "once")
		b.removed("pvc-1")
		time.Sleep(time.Second)
		b.removed("pvc-1")
		assert.Equal(t, "once", b.lines())
	})
}

//book:exercise 5.9
func TestADiskOfTheSameNameDoesNotTakeThePlaceOfTheFirst(t *testing.T) {
	in(t, func(b basket) {
		for _, line := range []string{"first", "second"} {
			b.made("pvc-1", line)
			b.removed("pvc-1")
			time.Sleep(time.Millisecond)
		}
		assert.Equal(t, "first, second", b.lines())
	})
}

// The root holds other things as well, and the basket may too.
//
//book:exercise 5.9
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
		note := filepath.Join(b.Root, "trash", "do not touch")
		require.NoError(t, os.MkdirAll(note, 0o755))
		time.Sleep(24 * time.Hour)
		b.removed("pvc-1")
		assert.DirExists(t, note)
	})
}
