package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Letter is the part of the index under one letter.
type Letter struct {
	Name    string
	Symbols []*Symbol
}

// Letters returns the index of declarations, A to Z.
func (p *page) Letters() []Letter {
	var letters []Letter
	for _, s := range sorted(p.Book.Symbols) {
		first, _ := utf8.DecodeRuneInString(s.Name)
		name := string(unicode.ToUpper(first))
		if len(letters) == 0 || letters[len(letters)-1].Name != name {
			letters = append(letters, Letter{Name: name})
		}
		last := &letters[len(letters)-1]
		last.Symbols = append(last.Symbols, s)
	}
	return letters
}

// sorted returns the symbols by name without regard to case, ties in the
// order of the book.
func sorted(symbols []*Symbol) []*Symbol {
	return slices.SortedStableFunc(slices.Values(symbols), func(a, b *Symbol) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			cmp.Compare(a.Chapter, b.Chapter),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
		)
	})
}

// ID returns the symbol's anchor in the index.
func (s *Symbol) ID() string { return fmt.Sprintf("%s/%s:%s", s.Chapter, s.File, s.Name) }

// Listing returns the line that declares the symbol.
func (s *Symbol) Listing() Use {
	return Use{
		Href:  fmt.Sprintf("%s/%s.html#L%d", s.Chapter, s.File, s.Line),
		Label: fmt.Sprintf("%s:%d", s.File, s.Line),
	}
}
