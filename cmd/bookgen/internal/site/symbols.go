package site

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostSymbols is how many declarations a page of the index has: sent, it has up
// to 30 kB with as many.
const mostSymbols = 130

// Letter is the part of the index under one letter: what other packages may use
// comes first. A letter with many declarations has several pages.
type Letter struct {
	Name             string
	Number, Of       int // of its pages, from 1
	Path             string
	Exported, Others []*Symbol
}

// Title returns the letter, and which of its pages this is if there are several.
func (l *Letter) Title() string {
	if l.Of == 1 {
		return l.Name
	}
	return fmt.Sprintf("%s, %d of %d", l.Name, l.Number, l.Of)
}

// Label returns the letter with, of a further page, its number.
func (l *Letter) Label() string {
	if l.Number == 1 {
		return l.Name
	}
	return fmt.Sprint(l.Name, " ", l.Number)
}

// Anchor returns the id of the letter's page in the list of all.
func (l *Letter) Anchor() string {
	return strings.ToLower(fmt.Sprintf("letter-%s-%d", l.Name, l.Number))
}

// A listed page shows some symbols.
type listed struct {
	*page
	Symbols []*Symbol
}

// IsIndex reports whether the page is one of the index.
func (p *page) IsIndex() bool { return p.Kind == "symbols" || p.Kind == "declarations" }

// Listed returns the page for a list of symbols on it.
func (p *page) Listed(symbols []*Symbol) listed { return listed{p, symbols} }

// UsedIn says how many places use a symbol.
func (p *page) UsedIn(uses []Use) string { return "used in " + count(len(uses), "place") }

// Letters returns the pages of the index of declarations, A to Z.
func (p *page) Letters() []*Letter { return letters(p.Book) }

func letters(b *Book) []*Letter {
	var names []string
	of := map[string][]*Symbol{}
	for _, s := range sorted(b.Symbols) {
		first, _ := utf8.DecodeRuneInString(s.Name)
		name := string(unicode.ToUpper(first))
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], s)
	}
	var all []*Letter
	for _, name := range names {
		exported, others := apart(of[name])
		ordered := slices.Concat(exported, others)
		pages := (len(ordered) + mostSymbols - 1) / mostSymbols
		for some := range slices.Chunk(ordered, mostSymbols) {
			l := &Letter{Name: name, Number: 1, Of: pages, Path: "symbols/" + strings.ToLower(name) + ".html"}
			if last := len(all) - 1; last >= 0 && all[last].Name == name {
				l.Number = all[last].Number + 1
				l.Path = fmt.Sprintf("symbols/%s-%d.html", strings.ToLower(name), l.Number)
			}
			l.Exported, l.Others = apart(some)
			all = append(all, l)
		}
	}
	return all
}

// apart sets what other packages may use apart from the others.
func apart(symbols []*Symbol) (exported, others []*Symbol) {
	for _, s := range symbols {
		if s.exported() {
			exported = append(exported, s)
		} else {
			others = append(others, s)
		}
	}
	return exported, others
}

// exported reports whether other packages may use the symbol: its own name and,
// of a method, that of its type are exported. In front of both may stand that of
// a package.
func (s *Symbol) exported() bool {
	names := strings.Split(s.Name, ".")
	own := 1
	if s.Kind == "method" {
		own = 2
	}
	return !slices.ContainsFunc(names[max(0, len(names)-own):], func(name string) bool { return !token.IsExported(name) })
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
