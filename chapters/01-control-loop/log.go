package controlloop

import (
	"cmp"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

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

// push adds c and wakes all goroutines that wait.
func (l *log) push(c change) {
	l.changes = append(l.changes, c)
	close(l.appended)
	l.appended = make(chan struct{})
}

// since returns the changes after version, oldest first, or 410 Expired when
// some of them are no longer held.
//
//book:exercise 1d
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
