package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"reconcile/judges/chaos"
)

// Pause is what came of a leader that was stopped in the middle of a rollout.
type Pause struct {
	Pods  int     `json:"pods"`
	Next  float64 `json:"next"`  // seconds until the other copy worked
	Late  int     `json:"late"`  // writes of the old leader that arrived after it woke
	Kept  int     `json:"kept"`  // keys that it tried in vain: it refused to write
	Knew  float64 `json:"knew"`  // seconds from then until it said that the lease was lost
	Words string  `json:"words"` // how it refused
}

// paused stops the leader as a machine does that is suspended, and lets it go on as
// soon as the next one works, in the same rollout.
func (p *proof) paused(ctx context.Context) (string, error) {
	next, err := p.startOurs(ctx, "third")
	if err != nil {
		return "", err
	}
	if err := next.Until(ctx, patience, func() error { return says(next, "the lease is held") }); err != nil {
		return "", err
	}
	old, pause := p.ours, &p.result.Pause
	pause.Pods = 3 * hundred
	var woken time.Time
	seen, err := p.middle(ctx, "paused", int32(pause.Pods), func() error {
		stopped := time.Now()
		if err := old.Pause(); err != nil {
			return err
		}
		if err := next.Until(ctx, time.Minute, func() error { return says(next, "msg=working") }); err != nil {
			return err
		}
		pause.Next, woken = tenth(time.Since(stopped)), time.Now()
		return old.Resume()
	})
	if err != nil {
		return "", err
	}
	if err := old.Until(ctx, time.Minute, func() error { return says(old, "the lease was lost") }); err != nil {
		return "", err
	}
	if err := p.late(woken); err != nil {
		return "", err
	}
	p.read(old.Words(10_000), woken)
	err = old.Stop()
	p.ours, p.as = next, "third"
	if pause.Late > chaos.Caught {
		return "", fmt.Errorf("the old leader wrote %d times after it woke, beside the new one", pause.Late)
	}
	return fmt.Sprintf("the other worked after %.1f s; the old one woke, and %d of its writes arrived, and it refused %d; %s",
		pause.Next, pause.Late, pause.Kept, seen), err
}

// late counts the writes of the old leader that kube-apiserver has received since it
// woke, but those of its lease.
func (p *proof) late(woken time.Time) error {
	_, err := scan(p.cluster.AuditLog(), 0, func(a audited) {
		if a.User.Username == p.as && a.Received.After(woken) && a.ObjectRef.Resource != "leases" {
			p.result.Pause.Late++
		}
	})
	return err
}

var head = regexp.MustCompile(`^time=(\S+) level=\S+ `)

// read looks in the log of the old leader for what it refused, and when it knew that
// it was one no more.
func (p *proof) read(words string, woken time.Time) {
	pause := &p.result.Pause
	for line := range strings.Lines(words) {
		if strings.Contains(line, ": not written: ") {
			if pause.Kept++; pause.Words == "" {
				pause.Words = strings.TrimSpace(head.ReplaceAllString(line, ""))
			}
		}
		if strings.Contains(line, "the lease was lost") {
			if at, err := time.Parse(time.RFC3339, head.FindStringSubmatch(line)[1]); err == nil {
				pause.Knew = tenth(at.Sub(woken))
			}
		}
	}
}
