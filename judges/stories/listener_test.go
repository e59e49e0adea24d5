package stories

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// listener hears of every event where a controller logs it. Fewer reach the
// API: there, events of one kind about one object are put together, and after
// 25 of them it is enough.
type listener struct{ cluster *cluster }

// Info implements logr.LogSink, and so do the methods below.
func (l listener) Info(_ int, message string, pairs ...any) {
	if message != "Event occurred" {
		return
	}
	said := map[any]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		said[pairs[i]] = pairs[i+1]
	}
	about := said["object"].(klog.ObjectRef)
	l.cluster.recordEvent(event{said["kind"].(string), about.Name,
		said["type"].(string) + " " + said["reason"].(string) + ": " + said["message"].(string)})
}

func (listener) Init(logr.RuntimeInfo)               {}
func (listener) Enabled(level int) bool              { return level <= 3 }
func (listener) Error(error, string, ...any)         {}
func (l listener) WithValues(...any) logr.LogSink    { return l }
func (l listener) WithName(name string) logr.LogSink { return l }
