package images

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
	"reconcile/internal/wake"
)

// watcher gets the output of a container at once, not only whole lines. One
// that falls far behind misses some.
type watcher struct {
	mu     sync.Mutex
	prints []print
	size   int
	ended  bool
	wake   wake.Signal // there is news
}

type print struct {
	stream string
	text   []byte
}

// watch returns a watcher of the output from now on. Call unwatch.
func (o *output) watch() *watcher {
	w := &watcher{wake: wake.New()}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watchers[w] = struct{}{}
	if o.ended {
		w.end()
	}
	return w
}

func (o *output) unwatch(w *watcher) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.watchers, w)
}

func (w *watcher) put(stream string, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prints = append(w.prints, print{stream, text})
	w.size += len(text)
	for w.size > maxBehind && len(w.prints) > 1 {
		w.size -= len(w.prints[0].text)
		w.prints = w.prints[1:]
	}
	w.wake.Send()
}

func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.wake.Send()
}

// show shows what is printed until it ends, or ctx does.
func (w *watcher) show(ctx context.Context, s streams.IO) error {
	for {
		w.mu.Lock()
		prints, ended := w.prints, w.ended
		w.prints, w.size = nil, 0
		w.mu.Unlock()
		for _, p := range prints {
			to := s.Stdout
			if p.stream == corev1.LogStreamStderr {
				to = s.Stderr
			}
			if to == nil {
				continue
			}
			if _, err := to.Write(p.text); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
