package site

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/figure"
)

// A reader gets through so much in a minute.
const (
	wordsPerMinute = 200
	linesPerMinute = 12
)

// WordsPerMinute returns the rate that the contents name.
func (p *page) WordsPerMinute() int { return wordsPerMinute }

// LinesPerMinute returns the same for code and output.
func (p *page) LinesPerMinute() int { return linesPerMinute }

// Length returns how long the part takes, in words that a reader can plan with:
// its text, its text with the open code beside it, and its exercises. Of what is
// folded it says how much that is: not many read all of it.
func (p *Part) Length() string {
	text := minutes(p.Words, wordsPerMinute)
	length := duration(text) + " of text"
	if all := text + minutes(p.Lines, linesPerMinute); all > text {
		length += ", about " + duration(all) + " with the code"
	}
	if p.Folded > 0 {
		length += fmt.Sprintf(", and %s folded %s", figure.Quantity(float64(p.Folded)), noun(p.Folded, "line"))
	}
	return strings.Join(append([]string{length}, p.exercises()...), " · ")
}

func (p *Part) exercises() []string {
	if len(p.Exercises) == 0 {
		return nil
	}
	total := 0
	for _, e := range p.Exercises {
		total += e.Minutes
	}
	return []string{fmt.Sprintf("%s, about %s", count(len(p.Exercises), "exercise"), duration(total))}
}

func minutes(n, perMinute int) int { return (n + perMinute - 1) / perMinute }

// duration returns minutes as a person says them: hours by quarters.
func duration(minutes int) string {
	if minutes < 60 {
		return count(minutes, "minute")
	}
	quarters := (minutes + 7) / 15
	if quarters == 4 {
		return "1 hour"
	}
	hours := fmt.Sprint(quarters / 4)
	return hours + []string{"", "¼", "½", "¾"}[quarters%4] + " hours"
}
