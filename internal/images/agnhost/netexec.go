package agnhost

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"reconcile/internal/images/unix"
)

// netexec returns a handler that tells a client its own address, which Pod
// answers, and what another host answers. It logs what it is asked.
func netexec(ctx context.Context, p *unix.Process) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "NOW: %v", time.Now())
	})
	mux.Handle("/healthz", says(""))
	mux.Handle("/readyz", says("ok"))
	mux.Handle("/hostname", says(p.Box.Hostname))
	mux.Handle("/hostName", says(p.Box.Hostname))
	mux.HandleFunc("/clientip", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RemoteAddr)
	})
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/header", header)
	mux.HandleFunc("/envvar", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, p.Getenv(r.FormValue("var")))
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.FormValue("code"))
		if err != nil {
			code = http.StatusFound
		}
		http.Redirect(w, r, r.FormValue("location"), code)
	})
	mux.HandleFunc("/dial", func(w http.ResponseWriter, r *http.Request) {
		dial(ctx, p, w, r.URL.Query())
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := url.QueryUnescape(r.RequestURI)
		if err != nil {
			asked = r.RequestURI
		}
		fmt.Fprintf(p.Stderr, "%s %s %s\n",
			time.Now().UTC().Format("2006/01/02 15:04:05"), r.Method, asked)
		mux.ServeHTTP(w, r)
	})
}

// echo says what it is told to, with a code.
func echo(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.FormValue("code"))
	if err == nil && code >= 200 && code < 600 {
		w.WriteHeader(code)
	}
	fmt.Fprint(w, r.FormValue("msg"))
}

// header says what one header of a request was, or all.
func header(w http.ResponseWriter, r *http.Request) {
	if key := r.FormValue("key"); key != "" {
		fmt.Fprint(w, r.Header.Get(key))
		return
	}
	json.NewEncoder(w).Encode(r.Header)
}

// dial asks another host, once or more often, and passes on what it says.
func dial(
	ctx context.Context, p *unix.Process, w http.ResponseWriter, asked url.Values,
) {
	tries, err := strconv.Atoi(asked.Get("tries"))
	if err != nil {
		tries = 1
	}
	if protocol := asked.Get("protocol"); protocol != "" && protocol != "http" {
		http.Error(w, "unsupported protocol. "+protocol, http.StatusBadRequest)
		return
	}
	client := &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: p.Box.Network.Dial},
	}
	address := "http://" + net.JoinHostPort(asked.Get("host"), asked.Get("port")) +
		"/" + asked.Get("request")
	answers := map[string][]string{}
	for range tries {
		text, err := body(ctx, client, address)
		if err != nil {
			answers["errors"] = append(answers["errors"], err.Error())
			continue
		}
		answers["responses"] = append(answers["responses"], text)
	}
	json.NewEncoder(w).Encode(answers)
}

// body returns what a page says.
func body(ctx context.Context, client *http.Client, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, unix.MaxLine))
	return string(text), err
}
