// Package serve shows the book to its author: it builds, serves the site on
// this machine, watches the chapters, and reloads open pages after each build.
//
// In reading order: serve.go (the server, until ctrl-C), watch.go (when to
// build), news.go (the word to open pages), pages.go (the site over HTTP),
// live.js (what pages do with the news).
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/source"
)

// Options say what to serve, and where.
type Options struct {
	Build build.Options
	Port  int // 0: any that is free
	Open  bool
	Out   io.Writer
}

// Run serves until ctx ends.
func Run(ctx context.Context, o Options) error {
	listener, err := listen(o.Port)
	if err != nil {
		return err
	}
	news := &news{}
	server := &http.Server{
		Handler:           handler(o.Build.Public(), news),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	saves, err := watch(ctx, o.Build.Chapters(), o.Build.Courses())
	if err != nil {
		listener.Close()
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	press := build.NewPress(o.Build)
	rebuild(ctx, o, press, news)
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(o.Out, "serving on %s, building on every save; ctrl-C ends it\n", address)
	if o.Open {
		openBrowser(o.Out, address)
	}
	return loop(ctx, o, press, news, server, saves, served)
}

// loop builds on every save, and ends with ctx.
func loop(ctx context.Context, o Options, press *build.Press, news *news, server *http.Server, saves <-chan string, served <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			return server.Shutdown(last)
		case err := <-served:
			return err
		case <-saves:
			rebuild(ctx, o, press, news)
		}
	}
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
	for errors.Is(err, build.ErrBusy) {
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
		news.tell("")
	}
}

// openBrowser asks the system to open it. If the system cannot, the address is
// on the terminal anyway.
func openBrowser(out io.Writer, address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(name, args...).Start(); err != nil {
		fmt.Fprintf(out, "no browser opened: %v\n", err)
	}
}
