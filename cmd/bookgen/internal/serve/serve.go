// Package serve shows the book to its readers and its author: it serves the pages
// that there are on this machine, builds the site, watches the chapters, and
// reloads open pages after each build.
//
// In reading order: serve.go (the server, until ctrl-C), watch.go (when to
// build), edition.go (which pages there are), news.go (the word to open pages),
// pages.go (the site over HTTP), live.js (what pages do with the news).
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/httpserve"
	"reconcile/internal/source"
)

// Options say what to serve, and where.
type Options struct {
	Build build.Options
	Port  int // 0: any that is free
	Open  bool
	Out   io.Writer
}

// Run serves until ctx ends: at first the pages that are on the disk, and then
// those that it builds.
func Run(ctx context.Context, o Options) error {
	listener, err := listen(o.Port)
	if err != nil {
		return err
	}
	saves, err := watch(ctx, o.Build.Chapters(), o.Build.Courses())
	if err != nil {
		listener.Close()
		return err
	}
	notice := noticeOf(o.Build)
	news := &news{current: bulletin{Notice: notice}}
	served := make(chan error, 1)
	go func() { served <- httpserve.Serve(ctx, listener, handler(o.Build, news)) }()
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(o.Out, "serving on %s, building on every save; ctrl-C ends it\n%s\n", address, notice)
	if o.Open {
		httpserve.OpenBrowser(o.Out, address)
	}
	press := build.NewPress(o.Build)
	return loop(ctx, served, saves, func() { rebuild(ctx, o, press, news) })
}

// loop builds at first and on every save, and ends with ctx. A save during a build
// waits for its end.
func loop(ctx context.Context, served <-chan error, saves <-chan string, rebuild func()) error {
	built := begin(rebuild)
	for {
		saved := saves
		if built != nil {
			saved = nil
		}
		select {
		case <-ctx.Done():
			return end(served, built)
		case err := <-served:
			return err
		case <-built:
			built = nil
		case <-saved:
			built = begin(rebuild)
		}
	}
}

// begin starts a build, and returns a channel that is closed at its end.
func begin(rebuild func()) <-chan struct{} {
	built := make(chan struct{})
	go func() {
		defer close(built)
		rebuild()
	}()
	return built
}

// end waits for the server, and a moment for a build that was stopped. A build that
// takes longer has written nothing yet.
func end(served <-chan error, built <-chan struct{}) error {
	last := time.After(2 * time.Second)
	err := <-served
	if built != nil {
		select {
		case <-built:
		case <-last:
		}
	}
	return err
}

// listen takes the port on this machine's loopback address only.
func listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d is in use: choose another with --port, or any free one with --port 0", port)
	}
	if err != nil {
		return nil, fmt.Errorf("--port %d: %w", port, err)
	}
	return listener, nil
}

// again is how long a build waits for another bookgen to be done with its own.
const again = 100 * time.Millisecond

// rebuild builds and tells the terminal and the open pages how it went.
func rebuild(ctx context.Context, o Options, press *build.Press, news *news) {
	report, err := press.Publish(ctx)
	waited := false
	for errors.Is(err, build.ErrBusy) {
		waited = true
		select {
		case <-time.After(again):
			report, err = press.Publish(ctx)
		case <-ctx.Done():
			return
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		var problems string
		for _, problem := range source.Flatten(source.Join(err)) {
			problems += problem.Error() + "\n"
		}
		fmt.Fprintf(o.Out, "\n%snot built; the last good site stays\n", problems)
		news.tell(problems)
	default:
		fmt.Fprintln(o.Out, report)
		news.built(waited || len(report.Changed) > 0)
	}
}
