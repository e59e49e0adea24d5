package workspace

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a folder must be quiet: saving one file is several events.
const settle = 150 * time.Millisecond

// Watch runs work now and after every save of a Go file, or of the sheet, of an
// exercise, until its context ends. A save ends a run that is still going on.
func (w *Workspace) Watch(ctx context.Context, number string, work func(context.Context)) error {
	var dir string
	err := w.do(ctx, func(s *session) error {
		e, err := s.exercise(number)
		if err == nil {
			dir = s.path(folder(e))
		}
		return err
	})
	if err != nil {
		return err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	if err := watcher.Add(dir); err != nil {
		return err
	}
	return repeat(ctx, watcher, work)
}

// repeat runs one work at a time.
func repeat(ctx context.Context, watcher *fsnotify.Watcher, work func(context.Context)) error {
	quiet := time.NewTimer(0)
	defer quiet.Stop()
	end := func() {}
	defer func() { end() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-watcher.Errors:
			return err
		case event := <-watcher.Events:
			if isSave(event) {
				quiet.Reset(settle)
			}
		case <-quiet.C:
			end()
			end = startWork(ctx, work)
		}
	}
}

// startWork starts work, and returns a function that ends it and waits for it.
func startWork(ctx context.Context, work func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// isSave reports whether a Go file or a sheet may have new content. Editors write files
// in place, or put another in their place.
func isSave(event fsnotify.Event) bool {
	name := filepath.Base(event.Name)
	return event.Has(fsnotify.Write|fsnotify.Create|fsnotify.Rename) &&
		(strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".txt")) && !strings.HasPrefix(name, ".")
}
