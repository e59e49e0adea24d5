// Package pack puts the book on a stick: a folder from which twenty people can
// work on machines without a network.
//
//	pack.go     the folder, whole or not at all
//	system.go   the systems that it is for
//	step.go     programs that make it
//	start.sh, start.cmd   how a participant begins
package pack

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options say what to pack.
type Options struct {
	Root    string // of the book
	Folder  string // to make; it must not exist, or be empty
	Systems []System
	// Programs are built for each system, by their folders from the root.
	Programs []string
	// Pages makes the site, and returns the folder it is in; nil: there is none.
	Pages func(ctx context.Context, root string) (folder string, err error)
	// PagesFile is where in the source the programs have the site, as a zip.
	PagesFile string
	Tell      io.Writer // a line for each step
}

// Report says what was packed.
type Report struct {
	Bytes int64
	Files int
	Took  time.Duration
}

// String returns how much it is, and how long it took.
func (r Report) String() string {
	return fmt.Sprintf("%d files, %d MB, in %s", r.Files, (r.Bytes+500_000)/1_000_000, r.Took.Round(time.Second))
}

//go:embed start.sh
var startUnix []byte

//go:embed start.cmd
var startWindows []byte

// Pack makes the folder. It is made under another name and gets its own at the
// end: whoever finds it finds all of it.
func Pack(ctx context.Context, o Options) (Report, error) {
	began := time.Now()
	if err := o.check(); err != nil {
		return Report{}, err
	}
	part := strings.TrimRight(o.Folder, `/\`) + ".part"
	if err := os.RemoveAll(part); err != nil {
		return Report{}, err
	}
	if err := o.fill(ctx, part); err != nil {
		return Report{}, errors.Join(err, os.RemoveAll(part))
	}
	report, err := measure(part)
	if err != nil {
		return Report{}, err
	}
	_ = os.Remove(o.Folder) // if it is there it is empty
	if err := os.Rename(part, o.Folder); err != nil {
		return Report{}, err
	}
	report.Took = time.Since(began)
	return report, nil
}

func (o Options) check() error {
	if len(o.Systems) == 0 {
		return errors.New("for which systems? --for windows,darwin,linux")
	}
	entries, err := os.ReadDir(o.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: remove what is in it, or name another folder with -o", o.Folder)
	}
	return nil
}

// fill does one step after the other.
func (o Options) fill(ctx context.Context, part string) error {
	o.say("copying the book")
	if err := o.copySource(ctx, part); err != nil {
		return err
	}
	if err := o.addNotices(ctx, part); err != nil {
		return err
	}
	o.say("copying the modules that it needs")
	if err := o.run(ctx, part, []string{"GOFLAGS=-mod=mod"}, "go", "mod", "vendor"); err != nil {
		return err
	}
	overlay, remove, err := o.pages(ctx, part)
	if err != nil {
		return err
	}
	defer remove()
	for _, system := range o.Systems {
		o.say("building for " + system.String())
		if err := o.build(ctx, part, system, overlay); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(part, "start.sh"), startUnix, 0o755),
		os.WriteFile(filepath.Join(part, "start.cmd"), bytes.ReplaceAll(startWindows, []byte("\n"), []byte("\r\n")), 0o644),
	)
}

func (o Options) say(what string) { fmt.Fprintln(o.Tell, what) }

// copySource copies the files that git knows, as they are; what a reader or a
// build has left stays behind.
func (o Options) copySource(ctx context.Context, part string) error {
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = o.Root
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s is no clone, and git says which files are the book's: %w", o.Root, err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		to := filepath.Join(part, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		err := copyFile(filepath.Join(o.Root, filepath.FromSlash(name)), to)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// measure counts the files and what they hold.
func measure(folder string) (Report, error) {
	var r Report
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		r.Files++
		r.Bytes += info.Size()
		return nil
	})
	return r, err
}

// zipped writes a folder into a zip, and the notices beside what is in it.
func zipped(folder, notices, file string) error {
	text, err := os.ReadFile(notices)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	w := zip.NewWriter(out)
	err = w.AddFS(os.DirFS(folder))
	if err == nil {
		var added io.Writer
		added, err = w.Create(filepath.Base(notices))
		if err == nil {
			_, err = added.Write(text)
		}
	}
	return errors.Join(err, w.Close(), out.Close())
}
