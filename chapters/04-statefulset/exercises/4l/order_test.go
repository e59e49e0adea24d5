package order_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	order "reconcile/chapters/04-statefulset/exercises/4l"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// run reads a part of a recorded run of the chapter, and returns its lines about
// Pods and what they say.
func run(t *testing.T, file, part string) (lines []string, history []order.Event) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/" + file)
	require.NoError(t, err)
	_, body, found := strings.Cut(string(text), "# part: "+part+"\n")
	require.True(t, found, part)
	body, _, _ = strings.Cut(body, "# part: ")
	states := map[string]order.State{
		"made": order.Made, "ready": order.Ready, "no longer ready": order.NotReady,
		"terminating": order.Terminating, "ended": order.Ended, "gone": order.Gone,
	}
	for line := range strings.Lines(body) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), "  web-")
		for words, state := range states {
			name, is, _ := strings.Cut(line, " ")
			if is == "is "+words || is == "has "+words {
				lines = append(lines, "web-"+line)
				history = append(history, order.Event{Ordinal: int(name[0] - '0'), Is: state})
			}
		}
	}
	return lines, history
}

// blamed returns the line of a run that breaks the order, or "".
func blamed(t *testing.T, file, part string) string {
	lines, history := run(t, file, part)
	require.NotEmpty(t, history, part)
	if i := order.Broken(history); i >= 0 {
		return lines[i]
	}
	return ""
}

// The chapter's early forms of the controller, and its own with a stale cache.
//
//book:exercise 4l
func TestBrokenControllersAreFound(t *testing.T) {
	assert.Equal(t, "web-1 is made", blamed(t, "early.txt", "fill"), "it waits for nothing")
	assert.Equal(t, "web-2 is made", blamed(t, "early.txt", "await"), "web-0 is terminating")
	assert.Equal(t, "web-1 is made", blamed(t, "late.txt", "up"), "web-0 is gone")
}

// A judge that finds fault with everything finds nothing.
func TestControllersThatKeepTheOrderAreNotBlamed(t *testing.T) {
	assert.Empty(t, blamed(t, "early.txt", "await-the-end"))
	assert.Empty(t, blamed(t, "early.txt", "replace-the-ended"))
	assert.Empty(t, blamed(t, "early.txt", "by-name"))
	assert.Empty(t, blamed(t, "late.txt", "down"), "a Pod may lose its readiness at any time")
}

// Each of the lower Pods has to work, and to work now.
//
//book:exercise 4l
func TestEachLowerPodHasToWork(t *testing.T) {
	made := func(ordinal int) order.Event { return order.Event{Ordinal: ordinal, Is: order.Made} }
	ready := func(ordinal int) order.Event { return order.Event{Ordinal: ordinal, Is: order.Ready} }
	three := []order.Event{made(0), ready(0), made(1), ready(1), made(2), ready(2)}
	require.Equal(t, -1, order.Broken(three))
	for name, then := range map[string][]order.Event{
		"the first is not ready":               {{Ordinal: 0, Is: order.NotReady}, made(3)},
		"the second has ended":                 {{Ordinal: 1, Is: order.Ended}, made(3)},
		"the first is not, though the last is": {{Ordinal: 0, Is: order.NotReady}, {Ordinal: 1, Is: order.Gone}, made(1)},
		"the first was made again":             {{Ordinal: 0, Is: order.Gone}, made(0), made(3)},
		"the first is terminating, and gone":   {{Ordinal: 0, Is: order.Terminating}, {Ordinal: 0, Is: order.Gone}, made(3)},
	} {
		history := append(three[:len(three):len(three)], then...)
		assert.Equal(t, len(history)-1, order.Broken(history), name)
	}
	back := append(three[:len(three):len(three)], order.Event{Ordinal: 1, Is: order.Gone}, made(1), ready(1), made(3))
	assert.Equal(t, -1, order.Broken(back), "the second is ready again")
}
