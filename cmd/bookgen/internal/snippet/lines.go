package snippet

import (
	"strconv"
	"strings"
)

// Fits reports whether there are such lines.
func (s Span) Fits(lines int) bool { return s.First <= s.Last && s.Last <= lines }

// Overlaps reports whether any line is in both.
func (s Span) Overlaps(other Span) bool { return s.First <= other.Last && other.First <= s.Last }

// extent returns the lines of the piece that a run is on, where the run before
// it ends on a line. One that is inline begins on that, and others below.
func (p *Piece) extent(r Run, before int) Span {
	at := before + 1
	if r.Inline {
		at = before
	}
	return Span{at, at + strings.Count(string(p.File.Content[r.Start:r.End]), "\n")}
}

// Texts returns the lines of the piece.
func (p *Piece) Texts() []string {
	var b strings.Builder
	for i, r := range p.Runs {
		if i > 0 && !r.Inline {
			b.WriteByte('\n')
		}
		b.WriteString(r.Gap)
		b.Write(p.File.Content[r.Start:r.End])
	}
	return strings.Split(b.String(), "\n")
}

// Choose leaves some lines of the piece.
func (p *Piece) Choose(lines Span) {
	var kept []Run
	before := 0
	for _, r := range p.Runs {
		at := p.extent(r, before)
		before = at.Last
		if !at.Overlaps(lines) {
			continue
		}
		r.Inline = r.Inline && len(kept) > 0
		for ; at.First < lines.First; at.First++ {
			r.Start += strings.IndexByte(string(p.File.Content[r.Start:r.End]), '\n') + 1
		}
		for ; at.Last > lines.Last; at.Last-- {
			r.End = r.Start + strings.LastIndexByte(string(p.File.Content[r.Start:r.End]), '\n')
		}
		kept = append(kept, r)
	}
	p.Runs = kept
}

// LineCount writes how many lines there are.
func LineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return Thousands(strconv.Itoa(n)) + " lines"
}

// Thousands writes 1234567.5 as 1,234,567.5; it changes nothing but the digits
// before the point.
func Thousands(number string) string {
	sign, rest := "", number
	if strings.HasPrefix(number, "-") {
		sign, rest = "-", number[1:]
	}
	whole, fraction, hasFraction := strings.Cut(rest, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return number
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFraction {
		whole += "." + fraction
	}
	return sign + whole
}

// FullLines counts the lines of a text that are not empty.
func FullLines(text string) int {
	count := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			count++
		}
	}
	return count
}
