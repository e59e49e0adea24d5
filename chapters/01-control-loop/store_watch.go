package controlloop

import (
	"context"
	"fmt"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// bookmarkPeriod is the time between the bookmarks of a watch that asked for them.
// (Kubernetes: defaultBookmarkFrequency in
// k8s.io/apiserver/pkg/storage/cacher/cacher.go.)
const bookmarkPeriod = time.Minute

// Watch follows a kind from opts.ResourceVersion on, or from now on. It fails
// with 410 Expired when that is too long ago. When it is yet to come, the watch is
// silent until then, as Kubernetes' is: no bookmark, and nothing of what happens
// before.
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
		store: s, table: t, log: t.follow(opts), opts: opts, after: after,
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
	if until > s.version {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"version %d is yet to come: this one is %d", until, s.version))
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
	return v, nil
}

// bookmark returns, each minute, the version up to which nothing was there to see.
// A watch that resumes from it has less to catch up on, and one that is told of no
// version for longer leads nowhere.
func (f *follower) bookmark() (watch.Event, bool) {
	if !f.opts.Bookmarks || time.Now().Before(f.next) {
		return watch.Event{}, false
	}
	f.wait()
	if f.after > f.store.version {
		return watch.Event{}, false
	}
	mark := f.table.New()
	mark.SetResourceVersion(formatVersion(f.after))
	return watch.Event{Type: watch.Bookmark, Object: mark}, true
}

// Stop implements Watch.
func (f *follower) Stop() {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.table.unfollow(f.opts)
}

func newLog(keep int) log {
	return log{keep: keep, appended: make(chan struct{})}
}

// compact forgets the changes up to version.
func (l *log) compact(version uint64) {
	held, err := l.since(version)
	if old := len(l.changes) - len(held); err == nil && old > 0 {
		l.forget(old)
	}
}

// append adds c. Old changes go many at a time, so that on average an append
// costs the same however long the log is.
func (l *log) append(c change) {
	if excess := len(l.changes) - l.keep; excess >= max(1, l.keep) {
		l.forget(excess)
	}
	l.push(c)
}

// forget drops the n oldest changes.
func (l *log) forget(n int) {
	l.dropped = l.changes[n-1].version
	l.changes = append(make([]change, 0, 2*(len(l.changes)-n)), l.changes[n:]...)
}
