package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"reconcile/internal/exercise"
)

// stateDir is the folder that holds all of a workspace's state, next to go.mod.
const stateDir = ".reconcile"

// A Workspace is a reader's state in one copy of the book.
type Workspace struct {
	root string
	disk disk

	patience time.Duration // in which a build needs no word
	glance   time.Duration // in which tests have to end that are looked at unasked

	// Way has the numbers of the exercises to do one after the other; others follow
	// in the order of the book.
	Way []string

	// Warn is called with news that a reader should have and no command asked
	// for.
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
	w := &Workspace{
		root:     root,
		disk:     disk{scratch: filepath.Join(root, stateDir, "tmp")},
		Warn:     func(string) {},
		patience: 5 * time.Second,
		glance:   20 * time.Second, // to look is to run them again
	}
	if runtime.GOOS == "js" {
		w.patience = time.Hour // a page says itself that it is at work
		w.glance = 0           // to link the book's answer takes a page too long
	}
	return w
}

// Root returns the folder of the book.
func (w *Workspace) Root() string { return w.root }

func (w *Workspace) state(elements ...string) string {
	return filepath.Join(append([]string{w.root, stateDir}, elements...)...)
}

// A session is one command's turn: it has the lock, reads the progress, and
// collects the writes.
type session struct {
	*Workspace
	ctx      context.Context
	progress *progress
	change   change
	loaded   map[string][]*exercise.Exercise // by chapter
	books    map[string][]byte               // files as the book has them, if that is known already
	misses   *[]string                       // files that are missing, if that is known already
	readOnly bool                            // nothing is kept
}

// do gives one command its turn. Writes that it adds to the session's
// change are made when it returns without error, all of them or, after a
// crash, by the next turn.
func (w *Workspace) do(ctx context.Context, command func(*session) error) error {
	release, err := w.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := w.recover(); err != nil {
		return err
	}
	s := w.newSession(ctx)
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

// doOrRead does the same for a command that can do without its change: if nothing
// can be kept, as in a read-only checkout, it only reads.
func (w *Workspace) doOrRead(ctx context.Context, command func(*session) error) error {
	err := w.do(ctx, command)
	var unkept *unkeptError
	if !errors.As(err, &unkept) {
		return err
	}
	s := w.newSession(ctx)
	s.readOnly = true
	if s.progress, err = w.readProgress(); err != nil {
		s.progress = newProgress()
	}
	return command(s)
}

func (w *Workspace) newSession(ctx context.Context) *session {
	return &session{Workspace: w, ctx: ctx, loaded: make(map[string][]*exercise.Exercise), books: make(map[string][]byte)}
}

// unkeptError says that the workspace's folder cannot be written.
type unkeptError struct {
	folder string
	cause  error
}

// Error implements error.
func (e *unkeptError) Error() string {
	return fmt.Sprintf("your progress cannot be kept in %s: %v", e.folder, e.cause)
}

// Unwrap returns the cause.
func (e *unkeptError) Unwrap() error { return e.cause }

// takeTurn gets the lock.
func (w *Workspace) takeTurn(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(w.disk.scratch, 0o755); err != nil {
		return nil, &unkeptError{w.state(), err}
	}
	release, err = acquire(ctx, w.state("lock"))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil, &unkeptError{w.state(), err}
	}
	return release, err
}

// readFile returns nil for a file that does not exist, nor could.
func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}
