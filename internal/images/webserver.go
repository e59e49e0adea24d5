package images

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// entrypoint runs the script that nginx's image starts with. It says what it
// does, and becomes the command that it was given.
func entrypoint(ctx context.Context, p *unix.Process) int {
	args := p.Args[1:]
	if len(args) > 0 && path.Base(args[0]) == "nginx" {
		fmt.Fprintln(p.Stdout, "/docker-entrypoint.sh: /docker-entrypoint.d/ is "+
			"not empty, will attempt to perform configuration")
		fmt.Fprintln(p.Stdout, "/docker-entrypoint.sh: Configuration complete; "+
			"ready for start up")
	}
	code, err := p.Become(ctx, args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "/docker-entrypoint.sh: exec: %s: not found\n",
			strings.Join(args[:min(1, len(args))], ""))
		return 127
	}
	return code
}

// nginxCommand runs the command nginx.
func nginxCommand(ctx context.Context, p *unix.Process) int {
	version := "nginx/" + p.Getenv("NGINX_VERSION")
	args, foreground := p.Args[1:], false
	for len(args) > 0 {
		switch flag := args[0]; {
		case flag == "-v" || flag == "-V":
			fmt.Fprintln(p.Stderr, "nginx version: "+version)
			return 0
		case flag == "-t":
			fmt.Fprintln(p.Stderr, "nginx: the configuration file "+
				"/etc/nginx/nginx.conf syntax is ok\nnginx: configuration file "+
				"/etc/nginx/nginx.conf test is successful")
			return 0
		case flag == "-s" && len(args) > 1:
			return tellNginx(p, args[1])
		case flag == "-g" && len(args) > 1:
			foreground = foreground || strings.Contains(args[1], "daemon off")
			args = args[2:]
		case flag == "-c" && len(args) > 1:
			args = args[2:]
		default:
			fmt.Fprintf(p.Stderr, "nginx: invalid option: %q\n", flag)
			return 1
		}
	}
	l, err := p.Box.Network.Listen(80)
	if err != nil {
		fmt.Fprintln(p.Stderr, now()+" [emerg] bind() to 0.0.0.0:80 failed "+
			"(98: Address already in use)")
		return 1
	}
	serve := func(ctx context.Context, p *unix.Process) int {
		return newWebServer(p, version).run(ctx, l)
	}
	if !foreground {
		p.Leave(serve)
		return 0
	}
	return serve(ctx, p)
}

// tellNginx sends a signal to the nginx that runs.
func tellNginx(p *unix.Process, what string) int {
	signal, known := map[string]syscall.Signal{
		"stop": unix.SIGTERM, "quit": unix.SIGQUIT, "reload": unix.SIGHUP,
		"reopen": unix.SIGUSR1,
	}[what]
	if !known {
		fmt.Fprintf(p.Stderr, "nginx: invalid option: \"-s %s\"\n", what)
		return 1
	}
	for _, other := range p.Box.Processes() {
		if other != p && slices.ContainsFunc(other.Title(), func(arg string) bool {
			return path.Base(arg) == "nginx"
		}) {
			other.Signal(signal)
			return 0
		}
	}
	fmt.Fprintln(p.Stderr, "nginx: [error] open() \"/run/nginx.pid\" failed "+
		"(2: No such file or directory)")
	return 1
}

// webServer is an nginx that runs.
type webServer struct {
	process *unix.Process
	version string
	http    http.Server
	count   atomic.Int64 // connections so far
}

func newWebServer(p *unix.Process, version string) *webServer {
	s := &webServer{process: p, version: version}
	s.http.Handler = s
	s.http.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// run serves until it is told to end: at once, or when all that was asked is
// answered.
func (s *webServer) run(ctx context.Context, l net.Listener) int {
	told := make(chan syscall.Signal, 1)
	s.process.Catch(func(signal syscall.Signal) {
		if signal != unix.SIGHUP && signal != unix.SIGUSR1 {
			select {
			case told <- signal:
			default:
			}
		}
	})
	s.logNotice("using the \"epoll\" event method")
	s.logNotice(s.version)
	s.logNotice("start worker processes")
	s.logNotice("start worker process 29")
	var serving sync.WaitGroup
	serving.Go(func() { s.http.Serve(l) })
	defer serving.Wait()
	select {
	case <-ctx.Done():
		s.http.Close()
	case signal := <-told:
		s.end(ctx, signal)
	}
	return 0
}

func (s *webServer) end(ctx context.Context, signal syscall.Signal) {
	if signal == unix.SIGQUIT {
		s.logNotice("signal 3 (SIGQUIT) received, shutting down")
		s.http.Shutdown(ctx)
	} else {
		s.logNotice("signal 15 (SIGTERM) received, exiting")
	}
	s.http.Close()
	s.logNotice("exit")
}

func (s *webServer) logNotice(text string) {
	fmt.Fprintf(s.process.Stderr, "%s [notice] %d#%d: %s\n",
		now(), s.process.PID, s.process.PID, text)
}

// now returns the time as nginx logs it.
func now() string { return time.Now().UTC().Format("2006/01/02 15:04:05") }
