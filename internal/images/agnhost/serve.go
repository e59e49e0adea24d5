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

// serves answers at the port that a flag says until it is told to end.
func serves(
	flag, otherwise string, handler func(context.Context, *unix.Process) http.Handler,
) mode {
	return func(ctx context.Context, c call) int {
		port, err := strconv.ParseInt(c.flag(flag, otherwise), 10, 32)
		if err != nil {
			return c.invalid(flag)
		}
		return serveHTTP(ctx, c.Process, map[int32]http.Handler{int32(port): handler(ctx, c.Process)})
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

func ofFiles(_ context.Context, p *unix.Process) http.Handler {
	return http.FileServer(afero.NewHttpFs(p.Box.Files).Dir("/"))
}

func ofHostname(_ context.Context, p *unix.Process) http.Handler {
	return says(p.Box.Hostname)
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, text)
	})
}

// healthy is how long the server of liveness says that it is well.
const healthy = 10 * time.Second

// liveness returns a handler that is well for some time, and then no more.
func liveness(context.Context, *unix.Process) http.Handler {
	started := time.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("/started", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, time.Since(started))
	})
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if past := time.Since(started); past > healthy {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "error: %v", past.Seconds())
			return
		}
		fmt.Fprint(w, "ok")
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("loc"), http.StatusFound)
	})
	return mux
}

// porter answers, for each variable SERVE_PORT_80, at that port with the variable's
// value.
func porter(ctx context.Context, c call) int {
	handlers := map[int32]http.Handler{}
	for _, v := range c.Env {
		name, value, _ := strings.Cut(v, "=")
		number, found := strings.CutPrefix(name, "SERVE_PORT_")
		port, err := strconv.ParseInt(number, 10, 32)
		if found && err == nil {
			handlers[int32(port)] = says(value)
		}
	}
	return serveHTTP(ctx, c.Process, handlers)
}
