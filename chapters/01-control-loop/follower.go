package controlloop

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// follower is a Watch of one kind of a store. It is no more than a place in a
// log, so one that is never read costs nothing.
type follower struct {
	store *Store
	table *table
	log   *log
	opts  ListOptions
	after uint64           // everything up to here has been seen, or is of no interest
	next  time.Time        // when there is a bookmark
	due   <-chan time.Time // fires then
}

// TryNext implements Watch.
func (f *follower) TryNext() (watch.Event, bool, error) {
	f.store.mu.RLock()
	defer f.store.mu.RUnlock()
	changes, err := f.log.since(f.after)
	if err != nil {
		return watch.Event{}, false, err
	}
	for _, c := range changes {
		f.after = c.version
		if event, ok := f.sees(c); ok {
			return event, true, nil
		}
	}
	f.after = max(f.after, f.store.version)
	event, ok := f.bookmark()
	return event, ok, nil
}

// sees returns c as it looks to a watcher of only what f.opts select: an object
// that comes to be selected is ADDED, one that no longer is, DELETED.
//
//book:exercise 1e
func (f *follower) sees(c change) (watch.Event, bool) {
	was := f.table.selects(f.opts, c.old)
	is := c.event != watch.Deleted && f.table.selects(f.opts, c.object)
	switch {
	case is && was:
		return watch.Event{Type: watch.Modified, Object: c.object}, true
	case is:
		return watch.Event{Type: watch.Added, Object: c.object}, true
	case was && c.event == watch.Deleted:
		return watch.Event{Type: watch.Deleted, Object: c.object}, true
	case was: // as it last was among them, at the version at which it left
		left := Copy(c.old)
		left.SetResourceVersion(formatVersion(c.version))
		return watch.Event{Type: watch.Deleted, Object: left}, true
	}
	return watch.Event{}, false
}

// Next implements Watch.
func (f *follower) Next(ctx context.Context) (watch.Event, error) {
	for {
		// Take it before reading: what is appended after the read closes this
		// channel.
		f.store.mu.RLock()
		appended := f.log.appended
		f.store.mu.RUnlock()
		if event, ok, err := f.TryNext(); ok || err != nil {
			return event, err
		}
		select {
		case <-appended:
		case <-f.due:
		case <-ctx.Done():
			return watch.Event{}, ctx.Err()
		}
	}
}
