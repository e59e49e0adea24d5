package site

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Words returns the book's terms, as Book.Words does.
func (p *page) Words() []Term { return p.Book.Words() }

// Words returns the book's terms by their names, without regard to case.
func (b *Book) Words() []Term {
	return slices.SortedFunc(slices.Values(b.Terms), func(a, b Term) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
}

// ID returns the term's anchor on the page of words.
func (t Term) ID() string { return strings.ReplaceAll(strings.ToLower(t.Name), " ", "-") }

// Also returns the term's other names, but for those in Chinese.
func (t Term) Also() []string {
	return slices.DeleteFunc(t.names(), isChinese)
}

// Chinese returns the term's names in Chinese.
func (t Term) Chinese() []string {
	return slices.DeleteFunc(t.names(), func(name string) bool { return !isChinese(name) })
}

func (t Term) names() []string { return strings.Split(t.Others, ", ") }

func isChinese(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
