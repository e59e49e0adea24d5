package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/atomicfile"
	"reconcile/internal/filelock"
	"reconcile/internal/wake"
)

// Pause is how long a keeper leaves the file alone after it has written it.
const Pause = time.Second

// gap is how far the versions of a cluster's next life are from those of this
// one. A process that is killed may have told its clients versions that never
// reached the file; no second sees so many of them.
const gap = 1_000_000

// Keeper keeps one file up to date with the objects of a store.
type Keeper struct {
	path   string
	unlock func()
	before *State
	dirty  wake.Signal // the file is behind

	mu      sync.Mutex
	version uint64
	lines   map[id]*line
}

// Open takes a file for this process alone, and reads it if it exists.
func Open(path string, kinds controlloop.Kinds) (*Keeper, error) {
	path, err := target(path)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Hold(path + ".lock")
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%s is in use by another lab%s; "+
			"stop that, or use another file", path, process(held.PID))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	k := &Keeper{
		path: path, unlock: unlock, dirty: wake.New(),
		lines: map[id]*line{},
	}
	if err := k.read(kinds); err != nil {
		unlock()
		return nil, err
	}
	return k, nil
}

// target returns the file itself, if path is a link to it.
func target(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return resolved, err
}

func process(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

func (k *Keeper) read(kinds controlloop.Kinds) error {
	file, err := os.OpenFile(k.path, os.O_RDWR, 0) // we shall want to write it
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	file.Close()
	text, err := os.ReadFile(k.path)
	if err != nil {
		return err
	}
	state, err := decode(k.path, text, kinds)
	if err != nil {
		return err
	}
	state.Version += gap
	k.before, k.version = state, state.Version
	for _, obj := range state.Objects {
		k.lines[idOf(obj)] = &line{obj: obj}
	}
	return nil
}

// State returns what the file held when it was opened, or nil if there was no
// file.
func (k *Keeper) State() *State { return k.before }

// Folder returns the folder for things that do not fit into the file: beside
// it.
func (k *Keeper) Folder() string { return k.path + ".volumes" }

// Wrote notes a write; it is for controlloop.OnWrite.
func (k *Keeper) Wrote(w controlloop.Write) {
	k.mu.Lock()
	if w.Type == watch.Deleted {
		delete(k.lines, idOf(w.Object))
	} else {
		k.lines[idOf(w.Object)] = &line{obj: w.Object}
	}
	if version, err := versionOf(w.Object); err == nil {
		k.version = version
	}
	k.mu.Unlock()
	if w.Object.GetObjectKind().GroupVersionKind().GroupKind() != leases {
		k.dirty.Send()
	}
}

// leases are renewed every few seconds for as long as a cluster stands. That
// alone is no reason to write the file: in the next life they are renewed anyway.
// It is written with the next change, and a Node says every five minutes how it
// is, so that it never falls further behind than versions leave room for.
var leases = schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"}

// Save writes the file as things are now.
func (k *Keeper) Save() error {
	version, lines := k.now()
	text, err := encode(version, lines)
	if err != nil {
		return err
	}
	return atomicfile.Write(k.path, k.path+".tmp", text, 0o600)
}

// now returns the lines of this moment, sorted.
func (k *Keeper) now() (uint64, []*line) {
	k.mu.Lock()
	defer k.mu.Unlock()
	ids := make([]id, 0, len(k.lines))
	for i := range k.lines {
		ids = append(ids, i)
	}
	slices.SortFunc(ids, id.compare)
	lines := make([]*line, 0, len(ids))
	for _, i := range ids {
		lines = append(lines, k.lines[i])
	}
	return k.version, lines
}

// Run saves after changes, but not more often than every Pause, until ctx ends.
// It tells why a save failed, each reason once, and tries again. When a save has
// worked again it tells nil, and what fails after that is told anew.
func (k *Keeper) Run(ctx context.Context, tell func(error)) {
	told := map[string]bool{}
	for {
		select {
		case <-k.dirty:
		case <-ctx.Done():
			return
		}
		err := k.Save()
		switch {
		case err == nil && len(told) > 0:
			clear(told)
			tell(nil)
		case err != nil && !told[err.Error()]:
			told[err.Error()] = true
			tell(err)
		}
		if err != nil {
			k.dirty.Send()
		}
		select {
		case <-time.After(Pause):
		case <-ctx.Done():
			return
		}
	}
}

// Close saves for the last time and gives the file back. Run must have ended,
// and nothing may write to the store any more.
func (k *Keeper) Close() error {
	defer k.unlock()
	return k.Save()
}
