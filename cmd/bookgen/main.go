// Bookgen makes the book: it weaves the chapters' code into their prose, builds
// the site, serves it to its authors, and checks that nothing in it is stale,
// missing or untrue.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"reconcile/internal/source"
)

func main() {
	collectSeldom()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		stop()
		os.Exit(report(err))
	}
}

// collectSeldom suits a command that ends soon, for which keeping costs less
// than collecting. It sets no limit: a book that outgrew one would be collected
// without end.
func collectSeldom() { debug.SetGCPercent(400) }

// collectAlways suits a command that stays, and keeps much on purpose.
func collectAlways() { debug.SetGCPercent(100) }

// report prints every error on a line of its own and returns the exit code.
func report(err error) int {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bookgen: stopped; the site is as it was")
		return 130
	}
	problems := source.Flatten(source.Join(err))
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, problem)
	}
	if len(problems) > 1 {
		fmt.Fprintf(os.Stderr, "bookgen: %d problems; the site is as it was\n", len(problems))
	}
	return 1
}
