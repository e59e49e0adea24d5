package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

func wget(ctx context.Context, p *unix.Process) int {
	for i, arg := range p.Args {
		if strings.HasPrefix(arg, "--timeout=") {
			p.Args[i] = "-T" + strings.TrimPrefix(arg, "--timeout=")
		}
		if arg == "--spider" {
			p.Args[i] = "-S"
		}
	}
	method, header, body := http.MethodGet, http.Header{"User-Agent": {"Wget"}}, io.Reader(nil)
	p.Args = slices.DeleteFunc(p.Args, func(arg string) bool {
		data, found := strings.CutPrefix(arg, "--post-data=")
		if found {
			method, body = http.MethodPost, strings.NewReader(data)
			header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return found
	})
	o, err := parse(p, "qSO:T:Yt:")
	if err != nil || len(o.args) != 1 {
		return complain(p, "usage: wget [-qS] [-O FILE] [-T SEC] [--post-data STR] URL")
	}
	seconds, err := o.number('T', 900)
	if err != nil {
		return complain(p, "%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	host, port := hostOf(o.args[0])
	if !o.has('q') {
		fmt.Fprintf(p.Stderr, "Connecting to %s (%s)\n",
			host, net.JoinHostPort(host, port))
	}
	response, err := get(ctx, p, method, o.args[0], header, body)
	if err != nil {
		return complain(p, "%s", wgetReason(err, host, port))
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return complain(p, "server returned error: %s %s", response.Proto, response.Status)
	}
	if o.has('S') {
		return 0
	}
	return save(p, o, response)
}

func wgetReason(err error, host, port string) string {
	switch {
	case unknown(err):
		return fmt.Sprintf("bad address '%s'", host)
	case errors.Is(err, context.DeadlineExceeded):
		return "download timed out"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return fmt.Sprintf("can't connect to remote host (%s): No route to host", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("can't connect to remote host (%s): Connection refused", host)
	}
	return "error getting response"
}

// save puts a page where wget was told to.
func save(p *unix.Process, o options, response *http.Response) int {
	file := path.Base(response.Request.URL.Path)
	if file == "/" || file == "." {
		file = "index.html"
	}
	file = o.value('O', file)
	f, err := create(p, file)
	if err != nil {
		return complain(p, "can't open '%s': %s", file, unix.Reason(err))
	}
	defer f.Close()
	if _, err := io.Copy(f, response.Body); err != nil {
		return complain(p, "%s", unix.Reason(err))
	}
	if !o.has('q') && file != "-" {
		fmt.Fprintf(p.Stderr, "saving to '%s'\n'%s' saved\n", file, file)
	}
	return 0
}
