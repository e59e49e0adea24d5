package mysqlcluster

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
)

// told is what a master did. Its table has no key, so that nothing stops a row
// from coming twice.
var told = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE orders (id INT)",
	"INSERT INTO orders VALUES (1)",
	"INSERT INTO orders VALUES (2)",
	"INSERT INTO orders VALUES (3)",
}

// A slave is killed at each of its writes and goes on from what it has written
// down.
func TestRunOfASlaveThatIsKilled(t *testing.T) {
	var log bytes.Buffer
	for _, where := range []string{"file first", "file last", "in the record"} {
		fmt.Fprintf(&log, "# part: %s\n", partOf(where))
		var found []string
		for writes := 0; ; writes++ {
			folder, left := folder.NewMemory(), writes
			f := follower{Folder: folder, Place: where}
			require.NoError(t, f.Follow(told[:2]))
			f.Folder = limited{Folder: folder, Left: &left}
			killed := f.Follow(told)
			f.Folder = folder
			require.NoError(t, f.Follow(told))
			rows, err := rowsOf(folder, "SELECT id FROM orders")
			if err != nil {
				rows = err.Error()
			}
			found = append(found, rows)
			if killed == nil {
				break
			}
		}
		count(&log, found)
	}
	kubetest.Recorded(t, "follow.txt", log.Bytes())
}

func partOf(where string) string {
	return map[string]string{
		"file first": "first", "file last": "last", "in the record": "record",
	}[where]
}

// count writes how often each was found, in the order of their first time.
func count(log *bytes.Buffer, found []string) {
	seen := map[string]bool{}
	for _, one := range found {
		if seen[one] {
			continue
		}
		seen[one] = true
		n := len(slices.DeleteFunc(slices.Clone(found),
			func(other string) bool { return other != one }))
		fmt.Fprintf(log, "%2d of %d  %s\n", n, len(found), one)
	}
}

// A follower executes statements of a master, one after the other, from the place
// on that it has written down: in the way of the book, or in one of two others.
type follower struct {
	Folder folder.Folder
	Place  string // "file first", "file last", "in the record"
}

const placeFile = "relay-log.info"

// Follow goes on with the statements until a write fails.
func (f *follower) Follow(statements []string) error {
	r, err := openRedo(f.Folder, func(*change) error { return nil })
	if err != nil {
		return err
	}
	for i := f.place(r); i < len(statements); i++ {
		c := &change{event: event{DB: "shop", SQL: statements[i]}}
		switch f.Place {
		case "file first":
			err = f.placeFirst(r, c, i+1)
		case "file last":
			err = f.placeLast(r, c, i+1)
		default:
			c.Source = wire.Position{File: "bin", Pos: int64(i + 1)}
			err = r.append(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// placeFirst writes down how far the slave will be, and then does what leads
// there.
func (f *follower) placeFirst(r *redo, c *change, place int) error {
	if err := f.note(place); err != nil {
		return err
	}
	return r.append(c)
}

// placeLast does it, and then writes down how far the slave is.
func (f *follower) placeLast(r *redo, c *change, place int) error {
	if err := r.append(c); err != nil {
		return err
	}
	return f.note(place)
}

func (f *follower) note(place int) error {
	return folder.Replace(f.Folder, placeFile, []byte{byte(place)})
}

// place is how many statements were executed, by what is written down.
func (f *follower) place(r *redo) int {
	if f.Place == "in the record" {
		return int(r.last.Source.Pos)
	}
	content, err := folder.ReadFile(f.Folder, placeFile)
	if err != nil || len(content) == 0 {
		return 0
	}
	return int(content[0])
}

// limited is a folder that lives for so many writes and renames.
type limited struct {
	folder.Folder
	Left *int
}

func (m limited) spend() error {
	if *m.Left == 0 {
		return folder.ErrKilled
	}
	*m.Left--
	return nil
}

func (m limited) Rename(from, to string) error {
	if err := m.spend(); err != nil {
		return err
	}
	return m.Folder.Rename(from, to)
}

func (m limited) Open(name string, flag int) (folder.File, error) {
	file, err := m.Folder.Open(name, flag)
	return limitedFile{file, m}, err
}

type limitedFile struct {
	folder.File
	of limited
}

func (f limitedFile) Write(b []byte) (int, error) {
	if err := f.of.spend(); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}
