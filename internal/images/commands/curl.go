package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// Curl runs the command that the images of nginx have, and returns its exit
// code.
func Curl(ctx context.Context, p *unix.Process) int {
	for i, arg := range p.Args {
		short := map[string]string{
			"--silent": "-s", "--fail": "-f", "--head": "-I", "--include": "-i",
			"--max-time": "-m", "--connect-timeout": "-m", "--show-error": "-S", "--globoff": "-g",
		}[arg]
		if short != "" {
			p.Args[i] = short
		}
	}
	o, err := parse(p, "sSfIiLkvgqo:m:H:w:X:d:")
	if err != nil || len(o.args) == 0 {
		complain(p, "(2) no URL specified, or an option that is not known here")
		return 2
	}
	seconds, err := o.number('m', 0)
	if err != nil {
		return 2
	}
	if seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	for _, address := range o.args {
		if code := curlOne(ctx, p, o, address); code != 0 {
			return code
		}
	}
	return 0
}

func curlOne(ctx context.Context, p *unix.Process, o options, address string) int {
	header := http.Header{"User-Agent": {"curl/8.14.1"}, "Accept": {"*/*"}}
	for _, h := range o.given['H'] {
		name, value, _ := strings.Cut(h, ":")
		header.Set(name, strings.TrimSpace(value))
	}
	method, body := http.MethodGet, io.Reader(nil)
	if o.has('I') {
		method = http.MethodHead
	}
	if o.has('d') {
		method, body = http.MethodPost, strings.NewReader(o.value('d', ""))
	}
	response, err := get(ctx, p, o.value('X', method), address, header, body)
	if err != nil {
		return curlFailed(p, o, err, address)
	}
	defer response.Body.Close()
	if o.has('f') && response.StatusCode >= 400 {
		complain(p, "(22) The requested URL returned error: %d", response.StatusCode)
		return 22
	}
	if o.has('I') || o.has('i') {
		fmt.Fprintf(p.Stdout, "%s %s\r\n", response.Proto, response.Status)
		response.Header.Write(p.Stdout)
		fmt.Fprint(p.Stdout, "\r\n")
	}
	to, err := create(p, o.value('o', "-"))
	if err != nil {
		complain(p, "(23) %s", unix.Reason(err))
		return 23
	}
	defer to.Close()
	io.Copy(to, response.Body)
	fmt.Fprint(p.Stdout, strings.NewReplacer(
		"%{http_code}", strconv.Itoa(response.StatusCode), `\n`, "\n",
	).Replace(o.value('w', "")))
	return 0
}

// curlFailed says why curl failed, and returns curl's exit code for that.
func curlFailed(p *unix.Process, o options, err error, address string) int {
	host, port := hostOf(address)
	code, text := 56, err.Error()
	switch {
	case unknown(err):
		code, text = 6, "Could not resolve host: "+host
	case errors.Is(err, context.DeadlineExceeded):
		code, text = 28, "Operation timed out"
	case errors.Is(err, syscall.ECONNREFUSED),
		errors.Is(err, syscall.EHOSTUNREACH):
		code, text = 7, fmt.Sprintf(
			"Failed to connect to %s port %s after 0 ms: Could not connect to server",
			host, port)
	case errors.Is(err, io.EOF):
		code, text = 52, "Empty reply from server"
	}
	if !o.has('s') || o.has('S') {
		complain(p, "(%d) %s", code, text)
	}
	return code
}
