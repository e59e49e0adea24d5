package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/ebook"
	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/internal/atomicfile"
)

func bookCommand() *cobra.Command {
	var pdf, epub string
	size := paper.A4
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Bind the book: one PDF, or an EPUB",
		Long: `Book makes the whole book in one file, from the same text and code as the site.

The PDF is printed by Chromium, which has to be installed: with page numbers,
references that name their pages, an index, bookmarks and tags. It takes a
minute. The EPUB needs nothing but this command.`,
		Example: "  go run ./cmd/bookgen book --pdf reconcile.pdf --paper letter\n  go run ./cmd/bookgen book --epub reconcile.epub",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(cmd)
			if err != nil {
				return err
			}
			return bind(cmd, build.NewPress(o), size, pdf, epub)
		},
	}
	cmd.Flags().StringVar(&pdf, "pdf", "", "the file to print the book to")
	cmd.Flags().Var(&size, "paper", "what it is printed on")
	cmd.Flags().StringVar(&epub, "epub", "", "the file for readers of e-books")
	cmd.MarkFlagsOneRequired("pdf", "epub")
	return cmd
}

// bind makes the files that are asked for, one after the other.
func bind(cmd *cobra.Command, press *build.Press, size paper.Size, pdf, epub string) error {
	ctx := cmd.Context()
	for _, made := range []struct {
		file, step string
		make       func(context.Context) ([]byte, error)
	}{
		{pdf, "printing the book", func(ctx context.Context) ([]byte, error) { return printed(ctx, press, size) }},
		{epub, "making the e-book", func(ctx context.Context) ([]byte, error) { return packed(ctx, press) }},
	} {
		if made.file == "" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(made.file)); err != nil { // before it takes a minute
			return err
		}
		done := build.Progress(cmd.ErrOrStderr(), made.step)
		content, err := made.make(ctx)
		done()
		if err != nil {
			return err
		}
		if err := atomicfile.Write(made.file, made.file+".new", content, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %.1f MB\n", made.file, float64(len(content))/1e6)
	}
	return nil
}

// printed returns the book as a PDF.
func printed(ctx context.Context, press *build.Press, size paper.Size) ([]byte, error) {
	b, err := press.Leaved(ctx)
	if err != nil {
		return nil, err
	}
	return paper.PDF(ctx, b, size)
}

// packed returns the book as an EPUB.
func packed(ctx context.Context, press *build.Press) ([]byte, error) {
	b, err := press.Leaved(ctx)
	if err != nil {
		return nil, err
	}
	return ebook.EPUB(b)
}
