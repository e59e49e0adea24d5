package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconcile/internal/english"
	"reconcile/internal/gowork"
	"reconcile/internal/workshop/pack"
)

func newWorkshopCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "workshop",
		Short: "Teach with the book",
		Args:  known,
		RunE:  showHelp,
	}
	group.AddCommand(newPackCommand(), newBoardCommand(), newTimingsCommand())
	return group
}

// packed says what a packed folder has, and what it has not.
const packed = `Put the book into a folder that needs no network: its source with all modules,
lab and bookgen for each system, the pages, a script to begin with, the book as
reconcile.pdf and reconcile.epub beside that, and the licences of all that others
wrote of it. Copy it to a stick or a share. On a participant's machine there has to be Go, for the
exercises; to read, and for lab up while the code is as it was packed, nothing.

What git tracks is packed, as it is in the tree. What it doesn't is listed and left
out, unless --with names it; what .gitignore names never comes along. A link has to
lead to a file that is packed.

With --live the pages run, as those of bookgen publish --live do, and exercises can be
written in them without Go, by all whom lab read --address lets in. That takes minutes
the first time.

The PDF is printed by Chromium. On a machine without one, --books=false packs all
but the PDF and the EPUB.

It needs the network if a module, or a part of Go's library for another system, is
not on this machine yet.`

func newPackCommand() *cobra.Command {
	var systems, with []string
	var live, books bool
	folder := ""
	command := &cobra.Command{
		Use:     "pack",
		Short:   "Put the book into a folder that needs no network",
		Long:    packed,
		Example: "  go run ./cmd/lab workshop pack --for windows,darwin,linux -o ../usb\n  (cd ../usb && ./start.sh test 1b)",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			o, err := packOptions(command, folder, systems)
			if err == nil {
				o.Pages = publish(live)
				if books {
					o.Books = bind
				}
				o.With, err = fromRoot(o.Root, with)
			}
			if err != nil {
				return err
			}
			report, err := pack.Pack(command.Context(), o)
			if err != nil {
				return err
			}
			fmt.Fprintf(command.OutOrStdout(), "%s: %s\n", folder, report)
			return nil
		},
	}
	command.Flags().StringSliceVar(&systems, "for", []string{"windows", "darwin", "linux"}, "systems")
	command.Flags().StringVarP(&folder, "output", "o", "", "the folder to make")
	command.Flags().StringArrayVar(&with, "with", nil, "also pack this file or folder, which git doesn't track")
	command.Flags().BoolVar(&live, "live", false, "pack pages that run")
	command.Flags().BoolVar(&books, "books", true, "also pack the book as a PDF and an EPUB")
	_ = command.MarkFlagRequired("output") // it is there
	return command
}

// packOptions refuses a copy of the book with exercises in it that are open:
// twenty people would get one reader's work.
func packOptions(command *cobra.Command, folder string, names []string) (pack.Options, error) {
	systems, err := pack.Systems(names)
	if err != nil {
		return pack.Options{}, err
	}
	w, err := openToBuild(command)
	if err != nil {
		return pack.Options{}, err
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return pack.Options{}, err
	}
	var started []string
	for _, line := range lines {
		if line.IsStarted() {
			started = append(started, line.Exercise.Number)
		}
	}
	if len(started) > 0 {
		return pack.Options{}, fmt.Errorf("exercises are started in this copy of the book, and would be packed: %s; %sreset --all puts the book's version back",
			english.List(started), byHand)
	}
	return pack.Options{
		Root: w.Root(), Folder: folder, Systems: systems,
		Programs:  programs,
		PagesFile: "cmd/lab/pages/pages.zip", Tell: command.OutOrStdout(),
	}, nil
}

// fromRoot returns files by their paths from the book's root.
func fromRoot(root string, files []string) (from []string, err error) {
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		path, err = filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(path) {
			return nil, fmt.Errorf("--with %s: it is outside of the book's folder: copy it there first", file)
		}
		from = append(from, path)
	}
	return from, nil
}

// publish returns what makes the whole site, as the book's own tool does.
func publish(live bool) func(ctx context.Context, root string) (folder string, err error) {
	return func(ctx context.Context, root string) (folder string, err error) {
		// The programs have the pages in them, and each would have the book's files.
		err = bookgen(ctx, root, "publish", "--books=false", fmt.Sprintf("--live=%t", live))
		return filepath.Join(root, "public"), err
	}
}

// bind makes the book as files in its root.
func bind(ctx context.Context, root string) error {
	err := bookgen(ctx, root, "book", "--pdf", "reconcile.pdf", "--epub", "reconcile.epub")
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w\n--books=false packs all but these files", err)
	}
	return err
}

// bookgen runs the book's own tool. It is compiled as the programs that are packed,
// most of which is then done. An error ends with what the tool printed.
func bookgen(ctx context.Context, root string, arguments ...string) error {
	command := gowork.Command(ctx, append([]string{"run", "-trimpath", "./cmd/bookgen"}, arguments...)...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "CGO_ENABLED=0") // it wants modules whole, too
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("bookgen %s: %w\n%s", arguments[0], err, bytes.TrimSpace(out))
	}
	return nil
}
