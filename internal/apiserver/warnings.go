package apiserver

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/warning"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// mostWarned is how many bytes of warnings a client gets.
const mostWarned = 4096

// warnings are the warnings of an answer, each once. kubectl prints them.
// (Kubernetes: WithWarningRecorder in k8s.io/apiserver, whose package brings 240
// others.)
type warnings struct {
	mu     sync.Mutex
	header http.Header
}

// AddWarning implements warning.Recorder.
func (w *warnings) AddWarning(agent, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.header.Values("Warning")
	one, err := net.NewWarningHeader(299, agent, text)
	if err != nil || slices.Contains(all, one) ||
		len(strings.Join(all, ""))+len(one) > mostWarned {
		return
	}
	w.header.Add("Warning", one)
}

// warn tells the client of a request something that it may not have meant.
func warn(ctx context.Context, texts ...string) {
	for _, text := range texts {
		warning.AddWarning(ctx, "", text)
	}
}

// warnOf warns the client of what Kubernetes warns of in a stored object (old
// is nil for a new one), and of parts of a quota that have no effect.
func (s *storage) warnOf(ctx context.Context, stored, old controlloop.Object) {
	if s.Warnings == nil {
		return // of a kind that is another one's form
	}
	warn(ctx, s.Warnings(stored, old)...)
	if quota, ok := stored.(*corev1.ResourceQuota); ok {
		for _, err := range admission.Uncounted(quota) {
			warn(ctx, err.Error())
		}
	}
}
