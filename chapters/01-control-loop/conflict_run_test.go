package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// A turn is a read or a write of the one Pod by one of its two writers, and what the
// Pod is then, as figures/conflict.svg has it.
type turn struct {
	Who    string `json:"who"`
	Does   string `json:"does"`
	From   string `json:"from"`   // the version that a write names
	Answer string `json:"answer"` // the version that is read or written, or the refusal
	App    string `json:"app"`    // the Pod's labels, in the store
	Owner  string `json:"owner"`
}

// writers are Ada and Barend, each with a copy of one Pod.
type writers struct {
	t      *testing.T
	store  *controlloop.Store
	copies map[string]controlloop.Object
	turns  []turn
}

func (w *writers) stored() controlloop.Object {
	obj, err := w.store.Get(w.t.Context(), controlloop.PodKind, kubetest.Named("nginx"))
	require.NoError(w.t, err)
	return obj
}

func (w *writers) reads(who string) {
	w.copies[who] = w.stored()
	w.tell(turn{Who: who, Does: "reads", Answer: w.copies[who].GetResourceVersion()})
}

// writes sets a label of the copy, and stores that as of the version from, or of none.
func (w *writers) writes(who, from, label, value string) {
	next := controlloop.Copy(w.copies[who])
	next.SetResourceVersion(from)
	next.GetLabels()[label] = value
	stored, err := w.store.Update(w.t.Context(), next)
	if err != nil {
		w.tell(turn{Who: who, Does: "writes", From: from, Answer: string(apierrors.ReasonForError(err))})
		return
	}
	w.tell(turn{Who: who, Does: "writes", From: from, Answer: stored.GetResourceVersion()})
}

func (w *writers) tell(t turn) {
	labels := w.stored().GetLabels()
	t.App, t.Owner = labels["app"], labels["owner"]
	w.turns = append(w.turns, t)
}

// Two writers and one Pod, whose second write names no version, and then the version
// that was read.
func TestRunOfTwoWriters(t *testing.T) {
	record := map[string][]turn{}
	for name, from := range map[string]string{"blind": "", "stale": "1"} {
		w := &writers{t, newStore(), map[string]controlloop.Object{}, nil}
		mustCreate(t, w.store, kubetest.Pod("nginx"))
		w.reads("Ada")
		w.copies["Barend"] = w.copies["Ada"]
		w.writes("Barend", "1", "owner", "barend")
		w.writes("Ada", from, "app", "web")
		if w.turns[2].Answer == string(metav1.StatusReasonConflict) {
			w.reads("Ada")
			w.writes("Ada", w.turns[3].Answer, "app", "web")
		}
		record[name] = w.turns
	}
	kubetest.RecordedJSON(t, "conflict.json", record)
}
