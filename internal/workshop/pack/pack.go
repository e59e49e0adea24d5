// Package pack puts the book on a stick: a folder from which twenty people can
// work on machines without a network.
//
//	pack.go     the folder, whole or not at all
//	tracked.go  what is packed: what git tracks, and what is named besides
//	system.go   the systems that it is for
//	step.go     programs that make it
//	program.go  a program of the folder, while it is what a build would give
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
	// With are files and folders to pack that git doesn't track, by their paths from
	// the root.
	With []string
	// Pages makes the site in the copy of the book at root, and returns the folder it
	// is in, which is removed when the programs have it; nil: there is none.
	Pages func(ctx context.Context, root string) (folder string, err error)
	// PagesFile is where in the source the programs have the site, as a zip.
	PagesFile string
	// Books makes the book as files to read, in the copy of it at root, where they
	// stay; nil: there are none.
	Books func(ctx context.Context, root string) error
	Tell  io.Writer // a line for each step
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
	if err := makeFolder(part); err != nil {
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

// makeFolder makes the folder in which all is made. One that is there already may have
// anything in it.
func makeFolder(part string) error {
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(part, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there: remove it if it is left of a pack that was cut off, or name another folder with -o", part)
	}
	return err
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
	if err := o.run(ctx, part, []string{"GOFLAGS=-mod=mod"}, "mod", "vendor"); err != nil {
		return err
	}
	if o.Books != nil {
		o.say("making the book as a PDF and an EPUB, to lie beside start.sh")
		if err := o.Books(ctx, part); err != nil {
			return err
		}
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
		seal(part),
		os.WriteFile(filepath.Join(part, "start.sh"), startUnix, 0o755),
		os.WriteFile(filepath.Join(part, "start.cmd"), bytes.ReplaceAll(startWindows, []byte("\n"), []byte("\r\n")), 0o644),
	)
}

func (o Options) say(what string) { fmt.Fprintln(o.Tell, what) }

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
