package events

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/lru"
)

const (
	maxSimilar   = 10 // events of one reason, before they are combined
	similarFor   = 10 * time.Minute
	maxCorrelate = 4096 // reasons that are remembered
)

// similar remembers in how many words one source has told of one reason about
// one object. EventCorrelator does too, but once there are ten it forgets one of
// them by chance, and so whether words that come again are counted or combined
// would differ from run to run. Here, from the tenth on all are combined, until
// none has come for ten minutes.
type similar struct{ groups *lru.Cache }

type group struct {
	messages sets.Set[string]
	combined int
	last     time.Time
}

func newSimilar() similar { return similar{lru.New(maxCorrelate)} }

// keys implements record.EventAggregatorKeyFunc: if the event is to be combined
// with others, the second key is one that was never used before.
func (s similar) keys(event *corev1.Event) (reason, words string) {
	reason, words = record.EventAggregatorByReasonFunc(event)
	now := time.Now()
	g, ok := s.group(reason)
	if !ok || now.Sub(g.last) > similarFor {
		g = &group{messages: sets.New[string]()}
		s.groups.Add(reason, g)
	}
	g.last = now
	if len(g.messages) < maxSimilar {
		g.messages.Insert(words)
	}
	if len(g.messages) < maxSimilar {
		return reason, words
	}
	g.combined++
	return reason, strconv.Itoa(g.combined) + " " + words
}

func (s similar) group(reason string) (*group, bool) {
	g, ok := s.groups.Get(reason)
	if !ok {
		return nil, false
	}
	return g.(*group), true
}
