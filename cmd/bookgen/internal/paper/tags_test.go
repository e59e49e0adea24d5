package paper_test

import (
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf16"
)

// What Chromium writes of pages, tags and bookmarks.
var (
	sheetObject = regexp.MustCompile(`(\d+) 0 obj\n<</Type /Page\n`)
	tagObject   = regexp.MustCompile(`(?s)(\d+) 0 obj\n<</Type /StructElem\n/S /(\w+)\n(.*?)>>\nendobj`)
	tagParent   = regexp.MustCompile(`(?m)^/P (\d+) 0 R`)
	tagPage     = regexp.MustCompile(`/Pg (\d+) 0 R`)
	bookmark    = regexp.MustCompile(`<</Title (.*)\n/Dest \[(\d+) 0 R /XYZ (\S+) (\S+) 0\]`)
	escaped     = regexp.MustCompile(`\\(.)`)
)

// sheetNumbers returns the number of each page, by its object's.
func (s *sheaf) sheetNumbers() map[string]int {
	numbers := map[string]int{}
	for i, m := range sheetObject.FindAllSubmatch(s.content, -1) {
		numbers[string(m[1])] = i + 1
	}
	return numbers
}

// An element is what a PDF has a tag for, with the pages on which it has anything.
type element struct {
	kind, parent string
	has          map[string]int // elements in it, and itself, by kind; a picture is one with words for it
	pages        map[int]bool
}

// elements returns all that are tagged.
func (s *sheaf) elements() map[string]*element {
	all, numbers := map[string]*element{}, s.sheetNumbers()
	tags := tagObject.FindAllStringSubmatch(string(s.content), -1)
	for _, m := range tags {
		all[m[1]] = &element{m[2], tagParent.FindStringSubmatch(m[3])[1], map[string]int{}, map[int]bool{}}
	}
	for _, m := range tags {
		kind, pages := m[2], tagPage.FindAllStringSubmatch(m[3], -1)
		if strings.Contains(m[3], "/Alt ") {
			kind = "picture"
		}
		for e := all[m[1]]; e != nil; e = all[e.parent] {
			e.has[kind]++
			for _, page := range pages {
				e.pages[numbers[page[1]]] = true
			}
		}
	}
	return all
}

// A mark is a bookmark. It leads to the first line of a heading.
type mark struct {
	title     string // as tight returns it
	page      int
	left, top float64
}

func (s *sheaf) marks() []mark {
	var all []mark
	numbers := s.sheetNumbers()
	for _, m := range bookmark.FindAllStringSubmatch(string(s.content), -1) {
		page := numbers[m[2]]
		all = append(all, mark{tight(plain(m[1])), page, number(m[3]), s.Pages[page-1].Height - number(m[4])})
	}
	return all
}

// plain returns a string of a PDF: (text), or <FEFF and UTF-16>.
func plain(raw string) string {
	digits, wide := strings.CutPrefix(raw, "<FEFF")
	if !wide {
		return escaped.ReplaceAllString(raw[1:len(raw)-1], "$1")
	}
	content, err := hex.DecodeString(strings.TrimSuffix(digits, ">"))
	if err != nil {
		panic(err) // Chromium has written it
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(content[2*i:])
	}
	return string(utf16.Decode(units))
}
