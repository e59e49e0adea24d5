package rollingupdate

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Load asks a Service for a page some number of times a second, whether or not
// the answers come: as people do, who do not know of each other.
type Load struct {
	URL  string // "http://10.96.0.10/"
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	Rate int // requests a second
	// Patience says how long it waits for an answer; 0: a second.
	Patience time.Duration
}

// Answer is the outcome of one request.
type Answer struct {
	At      time.Duration // since the first could have been asked
	Version string        // as the page said it; "": no page
	Err     error         // why there was no page
}

// Answers holds all of them, in the order in which they were asked for.
type Answers []Answer

// Run asks until ctx ends, and returns when the last answer has come, or has
// been given up on.
func (l *Load) Run(ctx context.Context) Answers {
	client := l.client()
	period := time.Second / time.Duration(l.Rate)
	start := time.Now()
	time.Sleep(period / 2) // not at the moment when all others act
	ticks := time.NewTicker(period)
	defer ticks.Stop()
	var mu sync.Mutex
	var all Answers
	var asked sync.WaitGroup
	for ctx.Err() == nil {
		at := time.Since(start)
		asked.Go(func() {
			version, err := get(client, l.URL)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, Answer{at, version, err})
		})
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
	asked.Wait()
	slices.SortFunc(all, func(a, b Answer) int { return int(a.At - b.At) })
	return all
}

// client makes a connection for each request, as many users do.
func (l *Load) client() *http.Client {
	patience := l.Patience
	if patience == 0 {
		patience = time.Second
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return l.Dial(ctx, network, address)
	}
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		DialContext: dial, DisableKeepAlives: true,
	}}
}

func get(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s", response.Status)
	}
	return string(page), nil
}

// Lost returns how many were not answered.
func (a Answers) Lost() int { return a.ByVersion()[""] }

// ByVersion counts the answers of each version; those that did not come are "".
func (a Answers) ByVersion() map[string]int {
	count := map[string]int{}
	for _, answer := range a {
		count[answer.Version]++
	}
	return count
}
