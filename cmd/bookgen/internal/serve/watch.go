package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long files must have been quiet: editors save in several steps.
const settle = 40 * time.Millisecond

// watch sends the path of a change below any of the folders that there are, once
// things have settled.
func watch(ctx context.Context, dirs ...string) (<-chan string, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if err := addFolders(watcher, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			watcher.Close()
			return nil, fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	saves := make(chan string)
	go func() {
		defer watcher.Close()
		collect(ctx, watcher, saves)
	}()
	return saves, nil
}

// addFolders watches a folder and all below it.
func addFolders(watcher *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return watcher.Add(path)
	})
}

func collect(ctx context.Context, watcher *fsnotify.Watcher, saves chan<- string) {
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	var changed string
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-watcher.Events:
			if !matters(event) {
				continue
			}
			if event.Has(fsnotify.Create) {
				// A folder is watched from now on; a file, or a folder that is
				// gone again, cannot be.
				_ = addFolders(watcher, event.Name)
			}
			changed = event.Name
			quiet.Reset(settle)
		case <-watcher.Errors:
			quiet.Reset(settle) // events were lost: look again
		case <-quiet.C:
			select {
			case saves <- changed:
			case <-ctx.Done():
			}
		}
	}
}

// matters leaves out changes of mode or time, and editors' own files.
func matters(event fsnotify.Event) bool {
	name := filepath.Base(event.Name)
	return event.Op != fsnotify.Chmod &&
		!strings.HasPrefix(name, ".") && !strings.HasSuffix(name, "~")
}
