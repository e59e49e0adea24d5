package onstage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// wire is the way of Kubernetes' programs to the API. It notes which of their
// controllers write.
type wire struct {
	next http.RoundTripper

	mu     sync.Mutex
	wrote  map[string]bool // by what they call themselves
	events map[string]int  // how many have had a name
}

// who returns what the controller that asks calls itself.
func who(request *http.Request) string { return path.Base(request.UserAgent()) }

// RoundTrip implements http.RoundTripper. The programs say who they are as they do
// where they run: a client that is built in a test is called after the test.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	program := "kube-controller-manager"
	if who(request) == "scheduler" {
		program = "kube-scheduler"
	}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", program+"/v1.37.2/"+who(request))
	if request.Method == http.MethodPost && path.Base(request.URL.Path) == "events" {
		if err := w.rename(request); err != nil {
			return nil, err
		}
	}
	return w.next.RoundTrip(request)
}

// rename gives an event a name that no other has: client-go names it by the
// nanosecond, of which virtual time has the same many times.
func (w *wire) rename(request *http.Request) error {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	var event map[string]any
	if err := json.Unmarshal(body, &event); err != nil {
		return fmt.Errorf("an event: %w", err)
	}
	meta := event["metadata"].(map[string]any)
	name := meta["name"].(string)
	w.mu.Lock()
	again := w.events[name]
	w.events[name]++
	w.mu.Unlock()
	if again > 0 {
		meta["name"] = fmt.Sprintf("%s.%d", name, again)
	}
	if body, err = json.Marshal(event); err != nil {
		return err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength = int64(len(body))
	return nil
}

// locked reports whether a lock is held during a request that others wait for:
// kube-scheduler holds what it has told while it tells it again.
func locked(request *http.Request) bool {
	return who(request) == "scheduler" && strings.Contains(request.URL.Path, "/events")
}

// recordWriter records who has written.
func (w *wire) recordWriter(request *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote[who(request)] = true
}

// writers returns who has written, by name.
func (w *wire) writers() []string { return slices.Sorted(maps.Keys(w.wrote)) }
