package controlloop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// bookmarkPeriod is the shortest time between the bookmarks of a watch that
// asked for them: Kubernetes' watch cache sends one about once a minute.
const bookmarkPeriod = time.Minute

// change is one line of the log: a Write, with its version.
type change struct {
	version     uint64
	event       watch.EventType
	object, old Object // old is nil for the first change of an object
}

// log holds the last changes of one kind, oldest first, their versions rising.
// A follower remembers a version, and asks for what came since: there are no
// lists of followers to walk, and no buffers to overflow.
type log struct {
	keep     int
	changes  []change
	dropped  uint64        // version of the newest change no longer held
	appended chan struct{} // closed at the next append
}

func newLog(keep int) log {
	return log{keep: keep, appended: make(chan struct{})}
}

// append adds c. Old changes go many at a time, so that on average an append
// costs the same however long the log is.
func (l *log) append(c change) {
	if excess := len(l.changes) - l.keep; excess >= max(1, l.keep) {
		l.forget(excess)
	}
	l.push(c)
}

// push adds c and wakes all goroutines that wait.
func (l *log) push(c change) {
	l.changes = append(l.changes, c)
	close(l.appended)
	l.appended = make(chan struct{})
}

// forget drops the n oldest changes.
func (l *log) forget(n int) {
	l.dropped = l.changes[n-1].version
	l.changes = append(make([]change, 0, 2*(len(l.changes)-n)), l.changes[n:]...)
}

// compact forgets the changes up to version.
func (l *log) compact(version uint64) {
	held, err := l.since(version)
	if old := len(l.changes) - len(held); err == nil && old > 0 {
		l.forget(old)
	}
}

// since returns the changes after version, oldest first, or 410 Expired when
// some of them are no longer held.
//
//book:exercise 1.3
func (l *log) since(version uint64) ([]change, error) {
	if version < l.dropped {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf(
			"too old resource version: %d (%d)", version, l.dropped))
	}
	first, found := slices.BinarySearchFunc(l.changes, version,
		func(c change, version uint64) int {
			return cmp.Compare(c.version, version)
		})
	if found {
		first++
	}
	return l.changes[first:], nil
}

// follower is a Watch of one kind of a store. It is no more than a place in a
// log, so one that is never read costs nothing.
type follower struct {
	store  *Store
	table  *table
	log    *log
	opts   ListOptions
	after  uint64           // everything up to here has been seen
	marked uint64           // the version of the last bookmark
	next   time.Time        // when there may be another
	due    <-chan time.Time // fires then
}

// Watch follows a kind from opts.ResourceVersion on, or from now on. It fails
// with 410 Expired when that is too long ago.
func (s *Store) Watch(
	_ context.Context, kind schema.GroupVersionKind, opts ListOptions,
) (Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(kind)
	if err != nil {
		return nil, err
	}
	after, err := parseVersion(opts.ResourceVersion, s.version)
	if err != nil {
		return nil, err
	}
	if _, err := t.log.since(after); err != nil {
		return nil, err
	}
	f := &follower{
		store: s, table: t, log: t.follow(opts), opts: opts,
		after: after, marked: after,
	}
	f.wait()
	return f, nil
}

// Compact forgets the changes up to a version, as etcd does when it is told to:
// a watch from before fails with 410 Expired.
func (s *Store) Compact(version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, err := parseVersion(version, s.version)
	if err != nil {
		return err
	}
	for _, t := range s.tables {
		t.log.compact(until)
		for _, topic := range t.topics {
			topic.compact(until)
		}
	}
	return nil
}

// wait sets the next bookmark a period from now.
func (f *follower) wait() {
	if f.opts.Bookmarks {
		f.next = time.Now().Add(bookmarkPeriod)
		f.due = time.After(bookmarkPeriod)
	}
}

func parseVersion(version string, newest uint64) (uint64, error) {
	if version == "" {
		return newest, nil
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest("invalid resource version: " + version)
	}
	if v > newest {
		return 0, apierrors.NewTimeoutError(fmt.Sprintf(
			"Too large resource version: %d, current: %d", v, newest), 1)
	}
	return v, nil
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
	f.after = f.store.version
	event, ok := f.bookmark()
	return event, ok, nil
}

// sees returns c as it looks to a watcher of only what f.opts select: an object
// that comes to be selected is ADDED, one that no longer is, DELETED.
//
//book:exercise 1.4
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

// bookmark returns, once in a while and only when it is news, the version up to
// which nothing was there to see. A watch that resumes from it has less to
// catch up on.
func (f *follower) bookmark() (watch.Event, bool) {
	if !f.opts.Bookmarks || time.Now().Before(f.next) {
		return watch.Event{}, false
	}
	f.wait()
	if f.after == f.marked {
		return watch.Event{}, false
	}
	f.marked = f.after
	mark := f.table.New()
	mark.SetResourceVersion(formatVersion(f.after))
	return watch.Event{Type: watch.Bookmark, Object: mark}, true
}

// Next implements Watch.
func (f *follower) Next(ctx context.Context) (watch.Event, error) {
	for {
		// Take it before looking: what is appended after the look closes this
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

// Stop implements Watch.
func (f *follower) Stop() {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.table.unfollow(f.opts)
}
