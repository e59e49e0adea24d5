package folder

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"
)

// Memory is a Folder that is nowhere: what a container has where nothing is
// mounted. It is gone with it.
type Memory struct {
	mu     sync.Mutex
	files  map[string]*memoryFile
	locked map[string]bool
}

// NewMemory returns an empty folder.
func NewMemory() *Memory {
	return &Memory{files: map[string]*memoryFile{}, locked: map[string]bool{}}
}

// memoryFile is a file or a folder. It is its own fs.FileInfo.
type memoryFile struct {
	mu      sync.Mutex
	name    string
	folder  bool
	content []byte
}

// Open implements Folder.
func (m *Memory) Open(name string, flag int) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	file := m.files[name]
	switch {
	case file == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case file == nil:
		file = &memoryFile{name: path.Base(name)}
		m.files[name] = file
	}
	if flag&os.O_TRUNC != 0 {
		file.Truncate(0)
	}
	return &memoryHandle{memoryFile: file}, nil
}

// Rename implements Folder.
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	file := m.files[from]
	if file == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	delete(m.files, from)
	m.files[to] = file
	file.name = path.Base(to)
	return nil
}

// Remove implements Folder.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(m.files, name)
	return nil
}

// Mkdir implements Folder.
func (m *Memory) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = &memoryFile{name: path.Base(name), folder: true}
	return nil
}

// ReadDir implements Folder.
func (m *Memory) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name != "." && m.files[name] == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var entries []fs.DirEntry
	for at, file := range m.files {
		if path.Dir(at) == name {
			entries = append(entries, fs.FileInfoToDirEntry(file))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(a.Name(), b.Name())
	})
	return entries, nil
}

// Lock implements Folder.
func (m *Memory) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locked[name] {
		return nil, ErrLocked
	}
	m.locked[name] = true
	return &memoryLock{m, name}, nil
}

type memoryLock struct {
	of   *Memory
	name string
}

func (l *memoryLock) Close() error {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	delete(l.of.locked, l.name)
	return nil
}

// memoryHandle is an open file.
type memoryHandle struct {
	*memoryFile
	at int64
}

func (h *memoryHandle) Read(b []byte) (int, error) {
	n, err := h.ReadAt(b, h.at)
	h.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (h *memoryHandle) Close() error { return nil }

func (f *memoryFile) ReadAt(b []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at >= int64(len(f.content)) {
		return 0, io.EOF
	}
	n := copy(b, f.content[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content = append(f.content, b...)
	return len(b), nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content = f.content[:size]
	return nil
}

func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }

// A memoryFile implements fs.FileInfo.

func (f *memoryFile) Name() string       { return f.name }
func (f *memoryFile) IsDir() bool        { return f.folder }
func (f *memoryFile) ModTime() time.Time { return time.Time{} }
func (f *memoryFile) Sys() any           { return nil }

func (f *memoryFile) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.content))
}

func (f *memoryFile) Mode() fs.FileMode {
	if f.folder {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
