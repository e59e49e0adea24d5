package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stateDir is where a workspace keeps everything, next to go.mod.
const stateDir = ".reconcile"

// A Workspace is a reader's state in one copy of the book.
type Workspace struct {
	root string
	disk disk

	// Warn is told what a reader should know and no command asked for.
	Warn func(message string)
}

// Find opens the workspace of the book that holds a folder.
func Find(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return Open(at), nil
		}
		if at == filepath.Dir(at) {
			return nil, fmt.Errorf("%s is not inside the book: there is no go.mod above it; change to the book's folder first", dir)
		}
	}
}

// Open returns the workspace of the book at root. It touches nothing yet.
func Open(root string) *Workspace {
	return &Workspace{
		root: root,
		disk: disk{scratch: filepath.Join(root, stateDir, "tmp")},
		Warn: func(string) {},
	}
}

func (w *Workspace) state(elements ...string) string {
	return filepath.Join(append([]string{w.root, stateDir}, elements...)...)
}

// A session is one command's turn: it has the lock, reads the progress, and
// collects what to write.
type session struct {
	*Workspace
	ctx      context.Context
	progress *progress
	change   change
}

// do gives one command its turn. What it adds to the session's change is written
// when it returns without error, all of it or, after a crash, by the next turn.
func (w *Workspace) do(ctx context.Context, command func(*session) error) error {
	if err := os.MkdirAll(w.disk.scratch, 0o755); err != nil {
		return fmt.Errorf("your progress cannot be kept in %s: %w", w.state(), err)
	}
	release, err := acquire(ctx, w.state("lock"))
	if err != nil {
		return err
	}
	defer release()
	if err := w.recover(); err != nil {
		return err
	}
	s := &session{Workspace: w, ctx: ctx}
	if s.progress, err = w.loadProgress(); err != nil {
		return err
	}
	before := s.progress.encode()
	if err := command(s); err != nil {
		return err
	}
	if after := s.progress.encode(); string(after) != string(before) {
		s.change.put(w.state(progressFile), after)
	}
	return w.carryOut(s.change)
}

// readFile returns nil for a file that is not there.
func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}
