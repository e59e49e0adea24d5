package lab

import (
	"context"
	"sync"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/wake"
)

// A watch can go back this long, and over this many bytes of objects.
// Kubernetes' API server has etcd compacted every five minutes
// (--etcd-compaction-interval), and etcd is full at some gigabytes.
const (
	historyAge   = 5 * time.Minute
	historyBytes = 64 << 20
)

// compaction makes the store forget writes that are too old, or too many.
type compaction struct {
	store *controlloop.Store
	full  wake.Signal // too many bytes were written

	mu      sync.Mutex
	version string // of the last write
	bytes   int64  // written up to there
	marks   []mark // the oldest first
}

// mark is how far the store was at a time.
type mark struct {
	version string
	bytes   int64
	at      time.Time
}

func newCompaction() *compaction {
	return &compaction{full: wake.New()}
}

// wrote counts a write; it is for controlloop.OnWrite.
func (c *compaction) wrote(w controlloop.Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = w.Object.GetResourceVersion()
	if sized, ok := w.Object.(interface{ Size() int }); ok {
		c.bytes += int64(sized.Size())
	}
	const apart = historyBytes / 64
	if len(c.marks) == 0 || c.bytes-c.marks[len(c.marks)-1].bytes > apart {
		c.addMark()
	}
	if c.bytes-c.marks[0].bytes > historyBytes {
		c.full.Send()
	}
}

// addMark adds how far the store is now. c.mu is held.
func (c *compaction) addMark() {
	c.marks = append(c.marks, mark{c.version, c.bytes, time.Now()})
}

// run compacts until ctx ends.
func (c *compaction) run(ctx context.Context) {
	tick := time.NewTicker(historyAge / 5)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-c.full:
		}
		if version := c.due(); version != "" {
			// The store has given the version: it has no reason to refuse.
			_ = c.store.Compact(version)
		}
	}
}

// due returns the version up to which everything is to be forgotten, or "". If
// there are too many bytes half of them go, so that this does not happen at
// every write.
func (c *compaction) due() (version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version == "" {
		return ""
	}
	c.addMark()
	keep := c.bytes
	if c.bytes-c.marks[0].bytes > historyBytes {
		keep = historyBytes / 2
	}
	for len(c.marks) > 1 && (time.Since(c.marks[0].at) >= historyAge ||
		c.bytes-c.marks[0].bytes > keep) {
		version = c.marks[0].version
		c.marks = c.marks[1:]
	}
	return version
}
