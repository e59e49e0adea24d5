package storage_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

var pair = []string{"tls.crt", "tls.key"}

// A renewal is a volume that a kubelet writes, with a certificate and its key of
// one day.
type renewal struct {
	t      *testing.T
	folder *os.Root
	reads  int
}

func renewals(t *testing.T, day string) *renewal {
	folder, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { folder.Close() })
	r := &renewal{t: t, folder: folder}
	r.renew(day)
	return r
}

func (r *renewal) renew(day string) {
	require.NoError(r.t, storage.Write(r.folder,
		map[string]string{"tls.crt": day, "tls.key": day}))
}

// before returns a way to read in which, before the nth file is read, something
// else happens.
func (r *renewal) before(n int, do func()) func(*os.Root, string) ([]byte, error) {
	return func(in *os.Root, name string) ([]byte, error) {
		if r.reads++; r.reads == n {
			do()
		}
		require.Less(r.t, r.reads, 100, "it reads again and again")
		return in.ReadFile(name)
	}
}

// byPath reads two paths, one after the other.
func byPath(
	volume *os.Root, read func(*os.Root, string) ([]byte, error),
) (crt, key []byte, err error) {
	crt, err = read(volume, "tls.crt")
	if err != nil {
		return nil, nil, err
	}
	key, err = read(volume, "tls.key")
	return crt, key, err
}

// The volume is written anew between the two reads of a program.
func TestRunOfAReadThatIsTorn(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("# part: paths\n")
	r := renewals(t, "Monday")
	crt, key, err := byPath(r.folder, r.before(2, func() { r.renew("Tuesday") }))
	require.NoError(t, err)
	fmt.Fprintf(&log, "tls.crt of %-9s tls.key of %s\n", crt, key)

	log.WriteString("# part: together\n")
	r = renewals(t, "Monday")
	files, err := storage.ReadTogether(r.folder, pair, r.before(2, func() { r.renew("Tuesday") }))
	require.NoError(t, err)
	fmt.Fprintf(&log, "tls.crt of %-9s tls.key of %-9s %d reads\n", files[0], files[1], r.reads)
	kubetest.Recorded(t, "between.txt", log.Bytes())
}

// Between any two reads of it, a volume may be written anew.
//
//book:exercise 5.11
func TestAReaderIsNeverTorn(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("before read %d", n), func(t *testing.T) {
			r := renewals(t, "Monday")
			files, err := storage.ReadTogether(r.folder, pair,
				r.before(n, func() { r.renew("Tuesday") }))
			require.NoError(t, err)
			require.Len(t, files, 2)
			assert.Equal(t, string(files[0]), string(files[1]), "of one day")
		})
	}
}

// The version that it has begun to read is removed, and so is the one after it.
//
//book:exercise 5.11
func TestAReaderOutlivesManyRenewals(t *testing.T) {
	r := renewals(t, "day 0")
	left := 5
	files, err := storage.ReadTogether(r.folder, pair,
		func(in *os.Root, name string) ([]byte, error) {
			if name == "tls.key" && left > 0 {
				left--
				r.renew(fmt.Sprintf("day %d", 5-left))
			}
			return in.ReadFile(name)
		})
	require.NoError(t, err)
	require.Len(t, files, 2)
	assert.Equal(t, "day 5", string(files[0]))
	assert.Equal(t, "day 5", string(files[1]))
}

// It is not taken for one that a renewal has removed.
//
//book:exercise 5.11
func TestAFileThatNoVersionHasIsMissing(t *testing.T) {
	r := renewals(t, "Monday")
	_, err := storage.ReadTogether(r.folder, []string{"tls.crt", "ca.crt"}, r.before(0, nil))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// A program that opens two paths is torn now and then, however the volume is
// written; one that reads them together never is.
func TestReadsAreTornBetweenTwoPathsAlone(t *testing.T) {
	r := renewals(t, "0")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			_ = storage.Write(r.folder, map[string]string{
				"tls.crt": fmt.Sprint(i), "tls.key": fmt.Sprint(i)})
		}
	}()
	reads, torn := 0, 0
	for {
		select {
		case <-done:
			t.Logf("%d of %d reads by path were torn", torn, reads)
			return
		default:
		}
		crt, key, err := byPath(r.folder, (*os.Root).ReadFile)
		if reads++; err == nil && !bytes.Equal(crt, key) {
			torn++
		}
		files, err := storage.ReadTogether(r.folder, pair, (*os.Root).ReadFile)
		require.NoError(t, err)
		require.Equal(t, string(files[0]), string(files[1]))
	}
}
