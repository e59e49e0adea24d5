package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/images/unix"
)

// get requests a page through the network of the process.
func get(
	ctx context.Context, p *unix.Process, method, address string,
	header http.Header, body io.Reader,
) (*http.Response, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	request.Header = header
	if host := header.Get("Host"); host != "" {
		request.Host = host
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, at string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(at)
			if err != nil {
				return nil, err
			}
			number, err := strconv.ParseInt(port, 10, 32)
			if err != nil {
				return nil, err
			}
			return p.Box.Network.Dial(ctx, host, int32(number))
		},
	}}
	return client.Do(request)
}

// hostOf returns the host and port that an address means.
func hostOf(address string) (host, port string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address, "80"
	}
	host, port = u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return host, port
}

func wget(ctx context.Context, p *unix.Process) int {
	for i, arg := range p.Args {
		if strings.HasPrefix(arg, "--timeout=") {
			p.Args[i] = "-T" + strings.TrimPrefix(arg, "--timeout=")
		}
		if arg == "--spider" {
			p.Args[i] = "-S"
		}
	}
	o, err := parse(p, "qSO:T:Yt:")
	if err != nil || len(o.args) != 1 {
		return complain(p, "usage: wget [-qS] [-O FILE] [-T SEC] URL")
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
	response, err := get(ctx, p, http.MethodGet, o.args[0],
		http.Header{"User-Agent": {"Wget"}}, nil)
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
	case errors.Is(err, unix.ErrUnknownHost):
		return fmt.Sprintf("bad address '%s'", host)
	case errors.Is(err, context.DeadlineExceeded):
		return "download timed out"
	case strings.Contains(err.Error(), "no route to host"):
		return fmt.Sprintf("can't connect to remote host (%s): No route to host", host)
	case strings.Contains(err.Error(), "refused"):
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
	if file == "-" {
		if _, err := io.Copy(p.Stdout, response.Body); err != nil {
			return 1
		}
		return 0
	}
	f, err := p.Box.Files.OpenFile(p.Abs(file), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return complain(p, "can't open '%s': %s", file, reason(err))
	}
	defer f.Close()
	if _, err := io.Copy(f, response.Body); err != nil {
		return complain(p, "%s", reason(err))
	}
	if !o.has('q') {
		fmt.Fprintf(p.Stderr, "saving to '%s'\n'%s' saved\n", file, file)
	}
	return 0
}

// Curl is the command that the images of nginx have.
func Curl(ctx context.Context, p *unix.Process) int {
	for i, arg := range p.Args {
		short := map[string]string{
			"--silent": "-s", "--fail": "-f", "--head": "-I", "--include": "-i",
			"--max-time": "-m", "--connect-timeout": "-m", "--show-error": "-S",
		}[arg]
		if short != "" {
			p.Args[i] = short
		}
	}
	o, err := parse(p, "sSfIiLkvo:m:H:w:X:d:")
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
	to := p.Stdout
	if file := o.value('o', "-"); file == "/dev/null" {
		to = io.Discard
	} else if file != "-" {
		f, err := p.Box.Files.Create(p.Abs(file))
		if err != nil {
			complain(p, "(23) %s", reason(err))
			return 23
		}
		defer f.Close()
		to = f
	}
	io.Copy(to, response.Body)
	fmt.Fprint(p.Stdout, strings.NewReplacer(
		"%{http_code}", strconv.Itoa(response.StatusCode), `\n`, "\n",
	).Replace(o.value('w', "")))
	return 0
}

// curlFailed says why, and returns curl's number for it.
func curlFailed(p *unix.Process, o options, err error, address string) int {
	host, port := hostOf(address)
	code, text := 56, err.Error()
	switch {
	case errors.Is(err, unix.ErrUnknownHost):
		code, text = 6, "Could not resolve host: "+host
	case errors.Is(err, context.DeadlineExceeded):
		code, text = 28, "Operation timed out"
	case strings.Contains(err.Error(), "refused"),
		strings.Contains(err.Error(), "no route"):
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
