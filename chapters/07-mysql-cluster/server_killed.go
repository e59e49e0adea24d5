package mysqlcluster

import (
	"errors"
	"io"
)

// errKilled is what becomes of a write after kill -9.
var errKilled = errors.New("the process was killed")

// mortal is a Folder of a process that can be killed. A goroutine does not
// stop where it stands, as a real process would; but from then on nothing that
// it does reaches the disk, which is all that anybody can tell.
type mortal struct {
	Folder
	killed <-chan struct{}
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
		return nil, errKilled
	}
	file, err := m.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return mortalFile{file, m}, nil
}

func (m mortal) Rename(from, to string) error {
	if m.dead() {
		return errKilled
	}
	return m.Folder.Rename(from, to)
}

func (m mortal) Remove(name string) error {
	if m.dead() {
		return errKilled
	}
	return m.Folder.Remove(name)
}

func (m mortal) Mkdir(name string) error {
	if m.dead() {
		return errKilled
	}
	return m.Folder.Mkdir(name)
}

func (m mortal) Lock(name string) (io.Closer, error) {
	if m.dead() {
		return nil, errKilled
	}
	return m.Folder.Lock(name)
}

type mortalFile struct {
	File
	of mortal
}

func (f mortalFile) Write(b []byte) (int, error) {
	if f.of.dead() {
		return 0, errKilled
	}
	return f.File.Write(b)
}

func (f mortalFile) Truncate(size int64) error {
	if f.of.dead() {
		return errKilled
	}
	return f.File.Truncate(size)
}
