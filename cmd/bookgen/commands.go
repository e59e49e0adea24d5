package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/check"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/serve"
	"reconcile/cmd/bookgen/internal/voice"
	"reconcile/internal/exercise"
	"reconcile/internal/gowork"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "bookgen",
		Short: "Make the book: weave code into prose, build the site, prove the exercises",
		Long: `Bookgen makes the book from chapters/: the text of each chapter.md, with the
code that it refers to woven in, as a site.

Start with "bookgen serve" and write. "bookgen check" is what CI runs.
It can be started in any folder of the book.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(buildCommand(), publishCommand(), bookCommand(), serveCommand(), checkCommand(), voiceCommand(), goflagsCommand())
	return root
}

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the pages that are read into site/",
		Long: `Build reads chapters/, weaves every page that is read, and puts the result in
the place of site/ in one step. These pages are committed; where one of the
published site would lead to the listing of a file, it leads to the file. If
anything is wrong, all of it is reported as file:line, nothing is written, and
the exit code is 1. Files that did not change are not touched, and two builds of
the same book are the same bytes.`,
		Example: "  go run ./cmd/bookgen build\n  go run ./cmd/bookgen build && git diff --exit-code -- site",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return put(cmd, build.Build, build.Options.Site)
		},
	}
}

// put makes a site, and says what it did to the folder.
func put(
	cmd *cobra.Command, do func(context.Context, build.Options) (build.Report, error), folder func(build.Options) string,
) error {
	o, err := options(cmd)
	if err != nil {
		return err
	}
	report, err := do(cmd.Context(), o)
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", folder(o), report)
	}
	return err
}

func checkCommand() *cobra.Command {
	var proofs exercise.Options
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Prove that the book is whole, true and built",
		Long: `Check reports everything that build refuses, and:
  - files of site/ that are not what build would write now;
  - links and anchors of the pages that lead nowhere;
  - exercises whose tests pass without the answer, fail with it, or miss one of
    the wrong answers that the exercise lists;
  - what the tests say of the wrong answers, by which "lab exercise test" knows
    them again, where exercises/wrong-answers.txt has something else;
  - other right answers that do not pass;
  - which exercises each test reaches, and so judges, where exercises/reach.txt has
    something else;
  - what they record of a run with a fault in it, where the exercise shows
    something else.
It looks for them in this order, since the first take seconds and the exercises
minutes: where there are problems, all of their kind are printed as file:line, the
exit code is 1, and what comes after waits. Of the exercises those come first whose
own functions, tests or answers have changed, and then those that stand on something
else that has. It writes nothing but these files, and
those with --update. Of a book without problems it says what it proved, and how many
processes that took: what was proven before is remembered.

With --open it also runs the tests of every package that has exercises while all
of them are open, as a reader may have them: they must come to an end, and where
they do not, it finds out with which exercise. They are asked for -short.
--open=each runs them with each exercise open alone as well, which takes longer.`,
		Example: "  go run ./cmd/bookgen check\n  go run ./cmd/bookgen check --open\n  go run ./cmd/bookgen check --open=each",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(cmd)
			if err != nil {
				return err
			}
			return check.Run(cmd.Context(), o, proofs, cmd.OutOrStdout())
		},
	}
	cmd.Flags().Var(&proofs.Open, "open",
		"also run all tests with exercises open, all at once or each: they must come to an end")
	cmd.Flags().Lookup("open").NoOptDefVal = string(exercise.OpenAll)
	cmd.Flags().BoolVar(&proofs.Update, "update", false,
		"write what the tests say of wrong answers and record of faults, to read the diff")
	return cmd
}

func serveCommand() *cobra.Command {
	var s serve.Options
	var live bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Build, serve, and build again on every save",
		Long: `Serve serves the book on this machine only, builds the site as publish does, watches
chapters/ and workshop/, and reloads the pages that are open in a browser after every build.
Until the first build is done, the pages are those of the last one or, without it,
the committed ones, and say so.
While something is wrong, the pages and this terminal say what, and the last
good site stays. Ctrl-C ends it. With --live its transcripts go on, by the engine
as it is when serve begins.`,
		Example: "  go run ./cmd/bookgen serve\n  go run ./cmd/bookgen serve --port 0 --open\n  go run ./cmd/bookgen serve --live",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(cmd)
			if err != nil {
				return err
			}
			o.Live = live
			s.Build, s.Out = o, cmd.OutOrStdout()
			collectAlways()
			return serve.Run(cmd.Context(), s)
		},
	}
	cmd.Flags().IntVar(&s.Port, "port", 8080, "port to listen on; 0 takes any that is free")
	addLive(cmd, &live)
	cmd.Flags().BoolVar(&s.Open, "open", false, "open the book in the browser")
	return cmd
}

func voiceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "voice",
		Short: "Count the words that an editor looks for",
		Long: `Voice counts, in the running prose of each chapter and per 1,000 words, it, one,
what, negations, nothing and contractions. There is no right number; chapters
that differ, or a count that has crept up, are worth reading aloud.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(cmd)
			if err != nil {
				return err
			}
			b, err := book.Load(o.Chapters())
			if err != nil {
				return err
			}
			var texts []voice.Voice
			for _, chapter := range b.Chapters {
				if !chapter.Written {
					continue
				}
				text := voice.Voice{Name: fmt.Sprintf("chapter %d", chapter.Number)}
				for _, part := range chapter.Parts {
					text.Add(part.Document)
				}
				texts = append(texts, text)
			}
			return voice.Write(cmd.OutOrStdout(), texts)
		},
	}
}

func goflagsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "goflags",
		Short: "Print the flags by which Go compiles the book's engine for a page",
		Long: `Goflags prints what GOFLAGS has to be where Go compiles for GOOS=js GOARCH=wasm
what is in a page. The flags lead to copies of a few libraries, and of files of
Go's own, which are changed so that they compile there, and are no larger than
they have to be.`,
		Example: `  GOFLAGS="$(go run ./cmd/bookgen goflags)" GOOS=js GOARCH=wasm go vet ./internal/scene`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := options(cmd)
			if err != nil {
				return err
			}
			before := os.Getenv("GOROOT")
			flags, err := engine.Flags(cmd.Context(), o.Root, o.Cache)
			if goroot := os.Getenv("GOROOT"); goroot != before {
				cmd.PrintErrf("goflags: this Go was downloaded by an older one, so they hold with GOTOOLCHAIN=local GOROOT=%[1]s and %[1]s/bin/go\n", goroot)
			}
			for i, flag := range flags {
				if strings.Contains(flag, " ") {
					flags[i] = "'" + flag + "'"
				}
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), strings.Join(flags, " "))
			}
			return err
		},
	}
}

// options finds the book around the current folder.
func options(cmd *cobra.Command) (build.Options, error) {
	root, err := findRoot()
	if err != nil {
		return build.Options{}, err
	}
	gowork.Leave(root, "bookgen", cmd.ErrOrStderr())
	cache, err := build.DefaultCache()
	return build.Options{Root: root, Cache: cache, Progress: cmd.ErrOrStderr()}, err
}

// findRoot returns the way from here to the nearest folder that holds
// chapters/book.md.
func findRoot() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "chapters", "book.md")); err == nil {
			return filepath.Rel(here, dir)
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("there is no chapters/book.md in %s, nor in any folder above it", here)
		}
	}
}
