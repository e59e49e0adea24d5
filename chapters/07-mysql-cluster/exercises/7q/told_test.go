package told_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	told "reconcile/chapters/07-mysql-cluster/exercises/7q"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// blamed reads the chapter's recorded histories, and returns what had happened when
// the promise was broken, by the name of the history; "" where it was kept.
func blamed(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/told.txt")
	require.NoError(t, err)
	all := map[string]string{}
	for _, part := range strings.Split(string(text), "# part: ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		var history []told.Event
		var happened []string // before each event
		last := ""
		for _, line := range lines[1:] {
			event, ok := read(line)
			if event.Is != told.Seen {
				last = line
			}
			if ok {
				history, happened = append(history, event), append(happened, last)
			}
		}
		i := told.Broken(history)
		require.Less(t, i, len(history), "%s: the index of an event", lines[0])
		all[lines[0]] = ""
		if i >= 0 {
			all[lines[0]] = happened[i]
		}
	}
	return all
}

// read reads a line of a history, if it is an event.
func read(line string) (event told.Event, ok bool) {
	order := func(text string) (o told.Order) {
		fmt.Sscanf(text, "%d:%d", &o.ID, &o.Cups)
		return o
	}
	fields := strings.Split(line, "  ")
	switch fields[0] {
	case "sent":
		return told.Event{Is: told.Sent, Order: order(fields[1])}, true
	case "told":
		return told.Event{Is: told.Told, Order: order(fields[1])}, true
	case "seen":
		event = told.Event{Is: told.Seen, Master: fields[1], Tables: map[string][]told.Order{}}
		if event.Master == "no master" {
			event.Master = ""
		}
		for _, server := range fields[2:] {
			name, rows, _ := strings.Cut(server, " ")
			event.Tables[name] = nil
			for _, row := range strings.Fields(strings.ReplaceAll(rows, ",", " ")) {
				event.Tables[name] = append(event.Tables[name], order(row))
			}
		}
		return event, true
	}
	return event, false
}

// convicts asserts what had happened when the promise was broken, by the names of
// histories.
func convicts(t *testing.T, when map[string]string) {
	t.Helper()
	got := blamed(t)
	for name, at := range when {
		assert.Equal(t, at, got[name], name)
	}
}

// Operators that are 7k's with a fault, and servers that are 7g's.
//
//book:exercise 7q
func TestWhatTheMasterLacksIsMissed(t *testing.T) {
	convicts(t, map[string]string{
		"next-in-line":                      "mysql-1 is named",
		"next-in-line-lacks-a-change":       "mysql-1 is named",
		"next-in-line-lacks-a-cancellation": "mysql-1 is named",
		"promote-then-tell":                 "mysql-1 is named", // by a successor
		"at-once":                           "mysql-0 is back",  // and mysql-1 is the master
		"answered-before-it-is-written":     "mysql-0 is back",
		"the-copy-can-wait":                 "mysql-1 is named",
	})
}

// An order is executed by two masters, and a clone is told to go on too early.
//
//book:exercise 7q
func TestAnOrderIsNotThereTwice(t *testing.T) {
	convicts(t, map[string]string{"writers-first": "mysql-0 is back", "first-the-address": "mysql-1 is named"})
}

// What was wrong with the first promotion comes out at the second.
//
//book:exercise 7q
func TestEveryPromotionIsJudged(t *testing.T) {
	convicts(t, map[string]string{"not-led": "mysql-2 is named", "led-from-behind": "mysql-2 is named"})
}

// The chapter's own loses an order, too, in the two ways that the page tells of.
//
//book:exercise 7q
func TestTheChaptersOwnIsNotSpared(t *testing.T) {
	convicts(t, map[string]string{"the-disk-is-gone": "mysql-1 is named", "the-cable-is-out": "told  2:3 by mysql-0"})
}

// A server that is killed at a byte, an operator that is killed at a call, a master
// that restarts, and two masters that fall.
//
//book:exercise 7q
func TestWhereThePromiseIsKeptNothingIsFound(t *testing.T) {
	kept := []string{"killed-at-a-byte", "restart", "two-promotions-and-a-clone"}
	got := blamed(t)
	for name := range got {
		if strings.HasPrefix(name, "an-operator-of-") {
			kept = append(kept, name)
		}
	}
	assert.Greater(t, len(kept), 5)
	for _, name := range kept {
		assert.Empty(t, got[name], name)
	}
}

// One look at a time.
//
//book:exercise 7q
func TestALookIsJudgedByWhatWasSaidBefore(t *testing.T) {
	for name, c := range map[string]struct {
		want    int
		history string // behind: order 1 of two cups is sent, and told
	}{
		"nobody looks":                           {-1, ""},
		"the master has it":                      {-1, "seen  b  a  b 1:2"},
		"only the others have it":                {2, "seen  b  a 1:2  b  c 1:2"},
		"it has another":                         {2, "seen  b  a 1:2  b 1:3"},
		"it lacks it for a while":                {2, "seen  b  b|seen  b  b 1:2"},
		"there is no master":                     {-1, "seen  no master  a|seen  a  a 1:2"},
		"the old master had it":                  {3, "seen  a  a 1:2  b|seen  b  a 1:2  b"},
		"there is another instead":               {3, "sent  2:2|seen  b  b 2:2"},
		"another was sent, and is lost":          {-1, "sent  2:2|seen  b  b 1:2"},
		"another was sent, and is kept":          {-1, "sent  2:2|seen  b  b 2:2,1:2"},
		"another was sent, and comes later":      {-1, "sent  2:2|seen  b  b 1:2|told  2:2|seen  b  b 1:2,2:2"},
		"a change was sent, and is lost":         {-1, "sent  1:3|seen  b  b 1:2"},
		"a change was sent, and is kept":         {-1, "sent  1:3|seen  b  b 1:3"},
		"a change was sent, and all is gone":     {3, "sent  1:3|seen  b  b"},
		"a change was told, and is lost":         {4, "sent  1:3|told  1:3|seen  b  b 1:2"},
		"two were sent, and the first is kept":   {-1, "sent  1:3|sent  1:4|seen  b  b 1:3"},
		"the second was told, the first is kept": {5, "sent  1:3|sent  1:4|told  1:4|seen  b  b 1:3"},
		"it may be cancelled, and is there":      {-1, "sent  1:0|seen  b  b 1:2"},
		"it may be cancelled, and is gone":       {-1, "sent  1:0|seen  b  b"},
		"it is cancelled, and is there":          {4, "sent  1:0|told  1:0|seen  b  b 1:2"},
		"it is there twice":                      {2, "seen  b  b 1:2,1:2"},
		"a cancelled one is ordered once more":   {6, "sent  1:0|told  1:0|sent  1:2|told  1:2|seen  b  b"},
	} {
		var history []told.Event
		for line := range strings.SplitSeq("sent  1:2|told  1:2|"+c.history, "|") {
			if event, ok := read(line); ok {
				history = append(history, event)
			}
		}
		assert.Equal(t, c.want, told.Broken(history), name)
	}
}
