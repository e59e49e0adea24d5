package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/paper"
)

func publishCommand() *cobra.Command {
	var live, books bool
	var address string
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Build the whole site into public/, with a listing of every file",
		Long: `Publish does what build does, and makes in public/ the site that is published:
the same pages, and a listing of every file of the chapters, to which they lead.
It works from any folder of a server, and without one. It is not committed.

Beside the pages lies the book as a PDF and as an EPUB, and the front page offers
them. Chromium prints the PDF, which takes a minute and more, and is not done again for
the same book. On a machine without Chromium, --books=false leaves both out.

With --live the site has the book's engine as well, compiled to WebAssembly: below
each transcript is a prompt, and a reader who types there goes on with the run. The page play.html has an
empty cluster, whose address holds all that is done in it. Exercises can be written and
judged in their pages, by Go's own compiler. That takes minutes the first time.

Pages name their own address, for search engines, feeds and readers who cite them, if
book.md has one at url:, or --url does. A committed site/ has none of --url. Then each
page has a picture for previews of links, too, which Chromium draws.`,
		Example: "  go run ./cmd/bookgen publish --live --url https://book.example\n  go run ./cmd/bookgen publish --books=false",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return put(cmd, func(ctx context.Context, o build.Options) (build.Report, error) {
				o.Live, o.Packing, o.URL = live, engine.Small, address
				if err := book.CheckAddress("--url", address); err != nil {
					return build.Report{}, err
				}
				if books {
					if _, err := paper.Browser(); err != nil {
						return build.Report{}, fmt.Errorf("%w; or publish the pages alone: --books=false", err)
					}
					o.Bindings, o.Previews = bindings, paper.Previews
				}
				return build.Publish(ctx, o)
			}, build.Options.Public)
		},
	}
	addLive(cmd, &live)
	cmd.Flags().StringVar(&address, "url", "", "where the site will be served, in place of what book.md says")
	cmd.Flags().BoolVar(&books, "books", true, "also make the book as a PDF and an EPUB, beside the pages")
	return cmd
}

// addLive adds the flag of a site with the engine.
func addLive(cmd *cobra.Command, live *bool) {
	cmd.Flags().BoolVar(live, "live", false, "also compile the engine, by which transcripts go on in the page")
}

// bindings are the files of the book that a site offers.
var bindings = []build.Binding{
	{Name: "a PDF", Ext: ".pdf", Step: "printing the book", Bind: func(ctx context.Context, p *build.Press) ([]byte, error) {
		return printed(ctx, p, paper.A4)
	}},
	{Name: "an EPUB", Ext: ".epub", Step: "making the e-book", Bind: packed},
}
