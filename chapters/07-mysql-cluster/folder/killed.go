package folder

import (
	"errors"
	"io"
)

// ErrKilled is what becomes of a write after kill -9.
var ErrKilled = errors.New("the process was killed")

// mortal is a Folder of a process that can be killed. A goroutine does not stop
// where it stands, as a real process would; but from then on nothing that it
// does reaches the disk, which is all that can be told from outside.
type mortal struct {
	Folder
	killed <-chan struct{}
}

// UntilKilled returns a folder as a process has it that can be killed: nothing
// reaches it from then on, and whatever is tried is ErrKilled.
func UntilKilled(folder Folder, killed <-chan struct{}) Folder {
	return mortal{folder, killed}
}

func (m mortal) dead() bool {
	select {
	case <-m.killed:
		return true
	default:
		return false
	}
}

func (m mortal) Open(name string, flag int) (File, error) {
	if m.dead() {
		return nil, ErrKilled
	}
	file, err := m.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return mortalFile{file, m}, nil
}

func (m mortal) Rename(from, to string) error {
	if m.dead() {
		return ErrKilled
	}
	return m.Folder.Rename(from, to)
}

func (m mortal) Remove(name string) error {
	if m.dead() {
		return ErrKilled
	}
	return m.Folder.Remove(name)
}

func (m mortal) Mkdir(name string) error {
	if m.dead() {
		return ErrKilled
	}
	return m.Folder.Mkdir(name)
}

func (m mortal) Lock(name string) (io.Closer, error) {
	if m.dead() {
		return nil, ErrKilled
	}
	return m.Folder.Lock(name)
}

type mortalFile struct {
	File
	of mortal
}

func (f mortalFile) Write(b []byte) (int, error) {
	if f.of.dead() {
		return 0, ErrKilled
	}
	return f.File.Write(b)
}

func (f mortalFile) Truncate(size int64) error {
	if f.of.dead() {
		return ErrKilled
	}
	return f.File.Truncate(size)
}
