package site

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/node"
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

// Length is how much there is to read, and to work.
type Length struct {
	Words, Lines       int
	Exercises, Minutes int
}

func (l Length) text() int { return minutes(l.Words, wordsPerMinute) }
func (l Length) code() int { return l.text() + minutes(l.Lines, linesPerMinute) }

// Reading returns how many minutes the text takes, with all that stands open beside it.
func (l Length) Reading() int { return l.code() }

// Text returns how long the text takes.
func (l Length) Text() string { return Duration(l.text()) }

// Code returns how long the text takes with the open code beside it.
func (l Length) Code() string { return Duration(l.code()) }

// Work returns how long the exercises take.
func (l Length) Work() string { return Duration(l.Minutes) }

// length returns that of the whole part.
func (p *Part) length() Length {
	l := work(p.Exercises)
	l.Words, l.Lines = p.Words, p.Lines
	return l
}

// work returns the length of exercises.
func work(all []ExerciseLink) Length {
	l := Length{Exercises: len(all)}
	for _, e := range all {
		l.Minutes += e.Minutes
	}
	return l
}

// Length returns how long the part takes, in words that a reader can plan with:
// its text, its text with the open code beside it, and its exercises.
func (p *Part) Length() string {
	l := p.length()
	length := l.Text() + " of text"
	if l.code() > l.text() {
		length += ", about " + l.Code() + " with the code"
	}
	if l.Exercises > 0 {
		length += fmt.Sprintf(" · %s, about %s", count(l.Exercises, "exercise"), l.Work())
	}
	return length
}

// Length returns that of the chapter's parts, without the comparison, and of its
// exercises, wherever they stand.
func (c *Chapter) Length() Length {
	all := sum(c.Parts, func(part *Part) Length {
		if part.Compared {
			return Length{}
		}
		return part.length()
	})
	return all.and(work(c.Lent))
}

// Length returns that of all chapters, without their comparisons.
func (b *Book) Length() Length { return sum(b.Chapters, (*Chapter).Length) }

// sum returns the length of several things, one after the other.
func sum[T any](things []T, of func(T) Length) Length {
	var all Length
	for _, thing := range things {
		all = all.and(of(thing))
	}
	return all
}

func (l Length) and(m Length) Length {
	return Length{l.Words + m.Words, l.Lines + m.Lines, l.Exercises + m.Exercises, l.Minutes + m.Minutes}
}

// Counted returns what a text may say of the book as a whole, by its names.
func (b *Book) Counted() map[string]string {
	all, short := b.Length(), b.Short()
	return map[string]string{
		"text": all.Text(), "code": all.Code(),
		"exercises": count(all.Exercises, "exercise"), "work": all.Work(),
		"short-text": short.Text(), "short-code": short.Code(),
		"words-per-minute": fmt.Sprint(wordsPerMinute), "lines-per-minute": fmt.Sprint(linesPerMinute),
	}
}

// Times returns the table of how long each chapter takes, for a page at the
// site's root.
func (b *Book) Times() node.List {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, "times", b); err != nil {
		panic(err) // our own template, over our own type
	}
	return node.Parse(out.String())
}

func minutes(n, perMinute int) int { return (n + perMinute - 1) / perMinute }

// Duration returns minutes as a person says them: hours by quarters.
func Duration(minutes int) string {
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
