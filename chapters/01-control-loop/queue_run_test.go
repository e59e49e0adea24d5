package controlloop_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// lookers are two workers for whom each look at a key takes a second.
type lookers struct {
	log *transcript

	mu                   sync.Mutex
	looking, looks, both int
}

// work looks at every key that next returns.
func (l *lookers) work(next func() (string, bool), done func(string)) {
	for {
		key, ok := next()
		if !ok {
			return
		}
		l.mu.Lock()
		l.looks++
		l.looking++
		if l.looking > 1 {
			l.both++
			l.log.sayf("a worker has %s, and so has the other", key)
		} else {
			l.log.sayf("a worker has %s", key)
		}
		l.mu.Unlock()
		time.Sleep(time.Second)
		l.mu.Lock()
		l.looking--
		l.mu.Unlock()
		done(key)
	}
}

// tenChanges plays the story: web changes, and nine times more during the first
// look.
func tenChanges(
	log *transcript, part string, add, done func(string), next func() (string, bool),
	closed func(),
) {
	log.part(part)
	log.start = time.Now()
	l := &lookers{log: log}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { l.work(next, done) })
	}
	log.sayf("web changes")
	add("web")
	time.Sleep(500 * time.Millisecond)
	log.sayf("web changes nine times more")
	for range 9 {
		add("web")
	}
	time.Sleep(10 * time.Second)
	closed()
	both.Wait()
	fmt.Fprintf(log, "          reconciles: %d, of them while there was another: %d\n", l.looks, l.both)
}

// Ten changes, through a channel and through a queue.
func TestRunOfTenChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newTranscript()
		channel := make(chan string, 10)
		tenChanges(log, "channel",
			func(key string) { channel <- key }, func(string) {},
			func() (string, bool) {
				key, ok := <-channel
				return key, ok
			}, func() { close(channel) })
		q := controlloop.NewQueue[string]()
		tenChanges(log, "sets", q.Add, q.Done, q.Get, q.ShutDown)
		inside(t, log)
		kubetest.Recorded(t, "queue.txt", log.Bytes())
	})
}

// A call is one to a queue of one key, or several of the same, and whether the
// key is in each of the queue's sets then, as figures/sets.svg has it.
type call struct {
	Verb       string `json:"verb"`
	Times      int    `json:"times"`
	Dirty      bool   `json:"dirty"`
	Queue      bool   `json:"queue"`
	Processing bool   `json:"processing"`
}

// inside writes down the same of the queue, call by call.
func inside(t *testing.T, log *transcript) {
	var calls []call
	log.part("inside")
	q := controlloop.NewQueue[string]()
	row := func(cells ...string) {
		fmt.Fprintf(log, "%-14s %-6s %-6s %s\n", cells[0], cells[1], cells[2], cells[3])
	}
	row("", "dirty", "queue", "processing")
	after := func(what string, times int) {
		say := func(keys []string) string { return cmp.Or(strings.Join(keys, " "), ".") }
		dirty, queue, processing := controlloop.Sets(q)
		row(what, say(dirty), say(queue), say(processing))
		verb := strings.TrimSuffix(strings.Fields(what)[0], ":")
		calls = append(calls, call{verb, times, len(dirty) > 0, len(queue) > 0, len(processing) > 0})
	}
	q.Add("web")
	after("Add web", 1)
	q.TryGet(0)
	after("Get: web", 1)
	q.Add("web")
	after("Add web", 1)
	for range 8 {
		q.Add("web")
	}
	after("Add web, 8 x", 8)
	q.Done("web")
	after("Done web", 1)
	q.TryGet(0)
	after("Get: web", 1)
	q.Done("web")
	after("Done web", 1)
	kubetest.RecordedJSON(t, "sets.json", map[string]any{"calls": calls})
}

// The waits of one key after each of its failures, and what they would be if 5
// ms were shifted to the left.
func TestRunOfTheBackoff(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%7s  %10s  %22s\n", "failure", "Next", "base << failures")
	b := controlloop.NewBackoff[string](5*time.Millisecond, 1000*time.Second)
	shown := func(n int) bool { return n <= 10 || n >= 18 && n <= 19 || n >= 41 && n <= 42 || n == 59 }
	for n := 1; n <= 59; n++ {
		wait := b.Next("web")
		if !shown(n) {
			continue
		}
		if n > 1 && !shown(n-1) {
			fmt.Fprintf(&out, "%7s\n", "…")
		}
		fmt.Fprintf(&out, "%7d  %10s  %22s\n", n, wait, 5*time.Millisecond<<(n-1))
	}
	kubetest.Recorded(t, "backoff.txt", out.Bytes())
}
