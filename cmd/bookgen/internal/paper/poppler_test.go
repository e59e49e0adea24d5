package paper_test

import (
	"cmp"
	"encoding/xml"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/slow"
)

// A sheaf is a printed book as poppler reads it. Lengths are points, from the left and
// from the top of a page.
type sheaf struct {
	content []byte
	file    string
	Pages   []sheet          `xml:"body>doc>page"`
	places  map[string]place // where links lead to, by id
}

type sheet struct {
	Width  float64 `xml:"width,attr"`
	Height float64 `xml:"height,attr"`
	Words  []word  `xml:"word"`
}

type word struct {
	Left   float64 `xml:"xMin,attr"`
	Top    float64 `xml:"yMin,attr"`
	Right  float64 `xml:"xMax,attr"`
	Bottom float64 `xml:"yMax,attr"`
	Text   string  `xml:",chardata"`
	page   int
}

// A place is on a page, which count from 1.
type place struct {
	page int
	top  float64
}

// needsAPrinter skips a test where there is no Chromium or no poppler, and fails it
// if they are required.
func needsAPrinter(t *testing.T) {
	t.Helper()
	slow.Test(t, "it prints with a browser")
	_, err := paper.Browser()
	if err == nil {
		_, err = exec.LookPath("pdftotext")
	}
	if err != nil && os.Getenv("RECONCILE_BROWSER") != "required" {
		t.Skip(err)
	}
	require.NoError(t, err, "Debian: apt-get install chromium poppler-utils")
}

// printed prints the book, and reads it.
func printed(t *testing.T, b *site.Book, size paper.Size) *sheaf {
	t.Helper()
	content, err := paper.PDF(t.Context(), b, size)
	require.NoError(t, err)
	s := &sheaf{content: content, file: filepath.Join(t.TempDir(), "book.pdf"), places: map[string]place{}}
	require.NoError(t, os.WriteFile(s.file, s.content, 0o600))
	require.NoError(t, xml.Unmarshal([]byte(s.poppler(t, "pdftotext", "-bbox", s.file, "-")), s))
	for i, p := range s.Pages {
		for n := range p.Words {
			p.Words[n].page = i + 1
		}
	}
	for _, m := range destination.FindAllStringSubmatch(s.poppler(t, "pdfinfo", "-dests", s.file), -1) {
		page := int(number(m[1]))
		id, err := url.PathUnescape(m[3])
		require.NoError(t, err)
		s.places[id] = place{page, s.Pages[page-1].Height - number(m[2])}
	}
	return s
}

// 12 [ XYZ   54  228 null      ] "the-store"
var destination = regexp.MustCompile(`(?m)^ *(\d+) \[ XYZ +\d+ +(\d+) null +\] "(.*)"$`)

// poppler returns what one of poppler's commands says.
func (s *sheaf) poppler(t *testing.T, command string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), command, args...).Output()
	require.NoError(t, err, command)
	return string(out)
}

func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err) // a pattern has found it
	}
	return n
}

// A line is words beside each other.
type line []word

// text returns the line as tight does.
func (l line) text() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString(w.Text)
	}
	return b.String()
}

// tight returns the text without blanks, of which each reader sees others.
func tight(text string) string { return strings.Join(strings.Fields(text), "") }

// lines returns the words line by line, from left to right.
func lines(words []word) []line {
	middle := func(w word) float64 { return (w.Top + w.Bottom) / 2 }
	words = slices.SortedStableFunc(slices.Values(words), func(a, b word) int { return cmp.Compare(middle(a), middle(b)) })
	var all []line
	for _, w := range words {
		last := len(all) - 1
		if last < 0 || middle(w)-middle(all[last][0]) > 2 {
			all, last = append(all, nil), last+1
		}
		all[last] = append(all[last], w)
	}
	for _, l := range all {
		slices.SortStableFunc(l, func(a, b word) int { return cmp.Compare(a.Left, b.Left) })
	}
	return all
}
