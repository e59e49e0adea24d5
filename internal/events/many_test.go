package events_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/events"
)

func TestTheSameEventAgainIsCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		for range 3 {
			recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
			time.Sleep(10 * time.Second)
		}
		all := written(t, store)
		require.Len(t, all, 1, "it is one event, seen three times")
		assert.EqualValues(t, 3, all[0].Count)
		assert.Equal(t, 20*time.Second,
			all[0].LastTimestamp.Sub(all[0].FirstTimestamp.Time))
	})
}

func TestACountedEventThatIsGoneIsWrittenAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		key := controlloop.KeyOf(written(t, store)[0])
		require.NoError(t, store.Delete(t.Context(), events.Kind, key, metav1.DeleteOptions{}))

		recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		all := written(t, store)
		require.Len(t, all, 1)
		assert.EqualValues(t, 2, all[0].Count)
	})
}

func TestSimilarEventsAreCombined(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		for i := range 15 {
			recorder.Eventf(web(), "Normal", "Pulled", "image %d", i)
		}
		all := written(t, store)
		require.Len(t, all, 10, "nine as they are, and one for all that follow")
		last := all[9]
		assert.Equal(t, "(combined from similar events): image 14", last.Message)
		assert.EqualValues(t, 6, last.Count)
	})
}

func TestWhatIsCombinedStaysCombinedUntilThereIsSilence(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		say := func(n int) { recorder.Eventf(web(), "Normal", "Scaled", "to %d", n) }
		for n := range 10 {
			say(n)
		}
		for n := range 10 {
			say(n)
		}
		all := written(t, store)
		require.Len(t, all, 10)
		for _, event := range all[:9] {
			assert.EqualValues(t, 1, event.Count, event.Message)
		}
		assert.EqualValues(t, 11, all[9].Count, all[9].Message)

		time.Sleep(11 * time.Minute)
		say(0)
		all = written(t, store)
		assert.Len(t, all, 10)
		assert.EqualValues(t, 2, all[0].Count, "it is told by itself again")
	})
}

func TestASourceThatTalksTooMuchIsHeardOnceInFiveMinutes(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		say := func() {
			recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		}
		for range 40 {
			say()
		}
		assert.EqualValues(t, 25, written(t, store)[0].Count, "15 were too many")

		time.Sleep(5*time.Minute + time.Second)
		say()
		say()
		assert.EqualValues(t, 41, written(t, store)[0].Count,
			"those that were not written have happened all the same")
	})
}

func TestASourceThatTalksTooMuchOfOneObjectIsHeardAboutOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		for range 40 {
			recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		}
		other := web()
		other.Name, other.UID = "other", "uid-2"
		recorder.Eventf(other, "Warning", "BackOff", "Back-off restarting")
		assert.Len(t, written(t, store), 2)
	})
}

// A ReplicaSet tells of each of its thousands of Pods. Superfluous events are
// left out before any work is put into them.
func TestWhatIsTooMuchCostsLittle(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		n := 0
		tell := func() {
			n++
			recorder.Eventf(web(), "Normal", "SuccessfulCreate", "Created pod: web-%d", n)
		}
		for range 100 {
			tell()
		}
		assert.Less(t, testing.AllocsPerRun(100, tell), 60.)
	})
}
