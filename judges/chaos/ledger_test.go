package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	web   = Object{Deployment, "web-1"}
)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func creation(replicas int32) Change {
	return Change{Object: web, Op: Create, Replicas: replicas, Image: "nginx:1.27"}
}

func scaling(replicas int32) Change { return Change{Object: web, Op: Scale, Replicas: replicas} }

func TestAnAcknowledgedChangeIsWhatAnObjectIs(t *testing.T) {
	l := NewLedger()
	assert.Equal(t, []State{{}}, l.May(web))
	require.NoError(t, l.Note(at(0), creation(3), Acknowledged, State{true, 3, "nginx:1.27"}))
	require.NoError(t, l.Note(at(1), scaling(9), Refused, State{}))
	assert.Equal(t, []State{{true, 3, "nginx:1.27"}}, l.May(web))
}

func TestAChangeThatWasNotAnsweredMayArriveLater(t *testing.T) {
	l := NewLedger()
	require.NoError(t, l.Note(at(0), creation(3), Acknowledged, State{true, 3, "nginx:1.27"}))
	require.NoError(t, l.Note(at(1), scaling(5), Unknown, State{}))
	assert.Equal(t, []State{{true, 3, "nginx:1.27"}, {true, 5, "nginx:1.27"}}, l.May(web))
	roll := Change{Object: web, Op: Roll, Image: "nginx:1.28"}
	require.NoError(t, l.Note(at(2), roll, Acknowledged, State{true, 3, "nginx:1.28"}))
	assert.Equal(t, []State{{true, 3, "nginx:1.28"}, {true, 5, "nginx:1.28"}}, l.May(web), "even after one that was")
	require.NoError(t, l.Note(at(90), scaling(7), Acknowledged, State{true, 7, "nginx:1.28"}))
	assert.Equal(t, []State{{true, 7, "nginx:1.28"}}, l.May(web), "but not for ever")
}

func TestWhatIsMissingThoughItWasAcknowledgedIsSaid(t *testing.T) {
	l := NewLedger()
	require.NoError(t, l.Note(at(0), creation(3), Unknown, State{}))
	require.NoError(t, l.Note(at(70), scaling(5), Missing, State{}), "it has never been created")
	assert.Equal(t, []State{{}}, l.May(web))
	require.NoError(t, l.Note(at(80), creation(3), Acknowledged, State{true, 3, "nginx:1.27"}))
	assert.EqualError(t, l.Note(at(81), scaling(5), Missing, State{}),
		"Deployment web-1 was acknowledged as [3 of nginx:1.27], and is not there")
}

func TestAChangeOfWhatIsNotThereCreatesIt(t *testing.T) {
	l := NewLedger()
	assert.Equal(t, Create, l.Fit(scaling(3)).Op)
	require.NoError(t, l.Note(at(0), creation(3), Unknown, State{}))
	assert.Equal(t, Scale, l.Fit(scaling(3)).Op, "it may be there")
	assert.Equal(t, Create, l.Fit(creation(3)).Op, "or not")
	require.NoError(t, l.Note(at(1), creation(3), Acknowledged, State{true, 3, "nginx:1.27"}))
	assert.Equal(t, Roll, l.Fit(creation(3)).Op)
	assert.Equal(t, Scale, l.Fit(scaling(3)).Op)
}

func TestTheLastChangeOfAnObjectLeavesNothingAsItIs(t *testing.T) {
	l := NewLedger()
	assert.Equal(t, Create, l.Last(web).Op)
	require.NoError(t, l.Note(at(0), creation(3), Acknowledged, State{true, 3, "nginx:1.29"}))
	assert.Equal(t, Change{Object: web, Op: Roll, Replicas: 2, Image: "nginx:1.28"}, l.Last(web))
}

func TestABackupsLedgerStaysAsItWas(t *testing.T) {
	l := NewLedger()
	require.NoError(t, l.Note(at(0), creation(3), Acknowledged, State{true, 3, "nginx:1.27"}))
	then := l.Copy()
	require.NoError(t, l.Note(at(1), Change{Object: web, Op: Delete}, Acknowledged, State{}))
	assert.Equal(t, []State{{}}, l.May(web))
	assert.Equal(t, []State{{true, 3, "nginx:1.27"}}, then.May(web))
}

func TestALateWriteOfACopyThatHasLostItsLeaseIsConvicted(t *testing.T) {
	h := NewHolders()
	lease := func(from string, second int) Write {
		return Write{From: from, Lease: true, Done: true, Received: at(second), Answered: at(second)}
	}
	pod := func(from string, second int) Write {
		return Write{From: from, What: "create pods", Done: true, Received: at(second), Answered: at(second)}
	}
	for _, w := range []Write{lease("a", 0), pod("a", 1), lease("b", 20), pod("b", 21), pod("a", 20)} {
		assert.Empty(t, h.Note(w), "%v: what was received before another held the lease is right", w)
	}
	for range Caught {
		assert.Empty(t, h.Note(pod("a", 22)), "these were caught in the midst")
	}
	require.Len(t, h.Note(pod("a", 23)), 1)
	assert.Empty(t, h.Note(pod("a", 24)), "it is said once")
	assert.Equal(t, 1, h.Changed)
	assert.Equal(t, "b", h.Holder())
	refused := lease("a", 25)
	refused.Done = false
	assert.Empty(t, h.Note(refused))
	assert.Equal(t, "b", h.Holder(), "who asks for the lease in vain does not hold it")
}

func TestAfterARestoreNobodyKnowsForAMomentWhoHoldsTheLease(t *testing.T) {
	h := NewHolders()
	h.Note(Write{From: "a", Lease: true, Done: true, Answered: at(0)})
	h.Restored(at(20))
	write := func(second int) (all []Violation) {
		for range Caught + 1 {
			all = append(all, h.Note(Write{From: "b", Received: at(second), Answered: at(second)})...)
		}
		return all
	}
	assert.Empty(t, write(10))
	assert.Len(t, write(21), 1)
}
