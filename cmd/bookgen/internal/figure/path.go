package figure

import (
	"fmt"
	"strconv"
)

// numeral is the font of numbers in marks; its class is on the text itself.
var numeral = font{size: 12, widths: &romanWidths}

// drawPath draws a recorded run as the path of one event: lanes side by side,
// time running down, a numbered mark a step, and an arrow from each cause.
func drawPath(data []byte) (drawing, error) {
	r, err := readRun(data)
	if err != nil {
		return drawing{}, err
	}
	title := r.Title
	if title == "" {
		title = "The path of one event"
	}
	return drawing{title, widePath(r), narrowPath(r)}, nil
}

// label returns what is written beside step i: the action, then the object and
// its version where they are others than the cause's, then the note.
func (r *run) label(i int) (action, object, note []span) {
	s := r.steps[i]
	action = []span{{s.Action, roman}}
	var before step
	if s.cause >= 0 {
		before = r.steps[s.cause]
	}
	if s.Object != before.Object && s.Object != "" {
		object = append(object, span{s.Object, mono})
	}
	if s.Version != before.Version && s.Version != "" {
		object = append(object, span{"v" + string(s.Version), faint})
	}
	if s.Note != "" {
		note = []span{{s.Note, italic}}
	}
	return action, object, note
}

// pace says in words what a band's steps cost in virtual time.
func (b band) pace() string {
	n := b.last - b.first + 1
	if n < 2 {
		return ""
	}
	return count(n) + " steps in no time"
}

func count(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six",
		"seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// wait says how much time passes between two bands.
func wait(earlier, later band) string {
	return fmt.Sprintf("%s pass", clock(later.at-earlier.at))
}
