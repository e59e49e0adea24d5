// Package agnhost is the program of the image that most of Kubernetes' own tests
// run: one program, and its first argument says what it is to be.
package agnhost

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

// Command runs the program of the image: it does what its first argument says.
func Command(ctx context.Context, p *unix.Process) int {
	mode, flags := "", map[string]string{}
	for _, arg := range p.Args[1:] {
		if name, value, found := strings.Cut(arg, "="); found {
			flags[strings.TrimLeft(name, "-")] = value
		} else if mode == "" {
			mode = arg
		}
	}
	serve := func(flag string, otherwise int, handler http.Handler) int {
		port, err := strconv.Atoi(flags[flag])
		if flags[flag] == "" {
			port, err = otherwise, nil
		}
		if err != nil {
			fmt.Fprintf(p.Stderr, "Error: invalid argument %q for \"--%s\" flag\n",
				flags[flag], flag)
			return 1
		}
		return serveHTTP(ctx, p, map[int32]http.Handler{int32(port): handler})
	}
	switch mode {
	case "pause":
		return pause(ctx, p)
	case "test-webserver":
		return serve("port", 80, http.FileServer(afero.NewHttpFs(p.Box.Files).Dir("/")))
	case "serve-hostname":
		return serve("port", 9376, says(p.Box.Hostname))
	case "netexec":
		return serve("http-port", 8080, netexec(p))
	case "porter":
		return serveHTTP(ctx, p, porter(p))
	}
	fmt.Fprintf(p.Stderr, "Error: unknown command %q for \"app\"\n", mode)
	return 1
}

// pause waits for a signal, and ends with its own code for each.
func pause(ctx context.Context, p *unix.Process) int {
	codes := make(chan int, 1)
	p.Catch(func(signal syscall.Signal) {
		code := map[syscall.Signal]int{syscall.SIGINT: 1, syscall.SIGTERM: 2}[signal]
		select {
		case codes <- code:
		default:
		}
	})
	fmt.Fprintln(p.Stdout, "Paused")
	select {
	case code := <-codes:
		return code
	case <-ctx.Done():
		return 1
	}
}

// serveHTTP answers at ports until it is told to end.
func serveHTTP(
	ctx context.Context, p *unix.Process, handlers map[int32]http.Handler,
) int {
	ctx, end := context.WithCancel(ctx)
	defer end()
	p.Catch(func(syscall.Signal) { end() })
	for port, handler := range handlers {
		l, err := p.Box.Network.Listen(port)
		if err != nil {
			fmt.Fprintf(p.Stderr, "listen tcp :%d: bind: address already in use\n", port)
			return 1
		}
		server := &http.Server{Handler: handler}
		defer server.Close()
		go server.Serve(l)
		fmt.Fprintf(p.Stdout, "Serving on port %d.\n", port)
	}
	<-ctx.Done()
	return 0
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, text)
	})
}

// netexec returns a handler that tells a client its own address, and which Pod
// answers.
func netexec(p *unix.Process) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "NOW: %v", time.Now())
	})
	mux.Handle("/healthz", says(""))
	mux.Handle("/hostname", says(p.Box.Hostname))
	mux.Handle("/hostName", says(p.Box.Hostname))
	mux.HandleFunc("/clientip", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RemoteAddr)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		if code, err := strconv.Atoi(r.FormValue("code")); err == nil &&
			code >= 200 && code < 600 {
			w.WriteHeader(code)
		}
		fmt.Fprint(w, r.FormValue("msg"))
	})
	return mux
}

// porter returns, for each variable SERVE_PORT_80, a handler of that port, which
// says the variable's value.
func porter(p *unix.Process) map[int32]http.Handler {
	handlers := map[int32]http.Handler{}
	for _, v := range p.Env {
		name, value, _ := strings.Cut(v, "=")
		number, found := strings.CutPrefix(name, "SERVE_PORT_")
		port, err := strconv.ParseInt(number, 10, 32)
		if found && err == nil {
			handlers[int32(port)] = says(value)
		}
	}
	return handlers
}
