package folder

import (
	"io"
	"os"
	"sync"
	"syscall"
)

// held has the numbers of the files that are locked: a page is one process.
var held sync.Map

// lock locks a file for as long as it is open.
func lock(file *os.File) (io.Closer, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	number := info.Sys().(*syscall.Stat_t).Ino
	if _, taken := held.LoadOrStore(number, true); taken {
		return nil, ErrLocked
	}
	return locked{file, number}, nil
}

type locked struct {
	*os.File
	number uint64
}

func (l locked) Close() error {
	held.Delete(l.number)
	return l.File.Close()
}
