package weave

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/exercise"
)

// searchEntries returns a part and its sections with their text, its exercises, and
// the commands typed there.
func (c *Chapter) searchEntries(part *book.Part) []site.SearchEntry {
	page := snippet.AddressOn(part, "")
	entries := sections(part.Document, page, site.SearchEntry{Title: part.Title, Href: page, Kind: "part"}, part.Summary)
	for _, e := range c.exercisesOn(part) {
		entries = append(entries, site.SearchEntry{
			Kind: "exercise", Title: e.Number + " " + book.Typographic(e.Title),
			Href: page + "#exercise-" + e.Number, Text: strings.Join(strings.Fields(string(e.Statement)), " "),
		})
	}
	return append(entries, commandEntries(part)...)
}

// sections returns the entry of a page and those of its sections, with their
// text; that of the page begins with its summary.
func sections(doc *book.Document, page string, first site.SearchEntry, summary string) []site.SearchEntry {
	entries := []site.SearchEntry{first}
	text := []string{summary}
	flush := func() {
		entries[len(entries)-1].Text = strings.Join(strings.Fields(strings.Join(text, " ")), " ")
		text = nil
	}
	headings := doc.Headings
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			text = append(append(text, blockTexts(doc, n)...), said(n))
			continue
		}
		if h.Level > 1 {
			flush()
			heading := headings[0]
			entries = append(entries, site.SearchEntry{Title: heading.Title, Others: heading.Search, Href: page + "#" + heading.ID, Kind: "section"})
		}
		headings = headings[1:]
	}
	flush()
	return entries
}

// sentences marks the entries of a page's sections that are sentences of a program.
func sentences(doc *book.Document, entries []site.SearchEntry) {
	entries = entries[len(entries)-len(doc.Headings):]
	for i, h := range doc.Headings {
		if h.Level == 3 {
			entries[i].Kind = "sentence"
		}
	}
}

// exercisesOn returns the exercises that a part shows.
func (c *Chapter) exercisesOn(part *book.Part) []*exercise.Exercise {
	var on []*exercise.Exercise
	for _, e := range c.Exercises {
		if c.Cards[e.Number] == part {
			on = append(on, e)
		}
	}
	return on
}

// commandEntries returns the commands typed on a part, each once, with their
// output.
func commandEntries(part *book.Part) []site.SearchEntry {
	var entries []site.SearchEntry
	typed := map[string]bool{}
	part.Document.Walk(func(n ast.Node) bool {
		woven, ok := n.(*prose.Block)
		if !ok {
			return true
		}
		t, ok := woven.Element.(*transcript)
		if !ok {
			return true
		}
		for _, step := range t.steps {
			if step.Verb != nil {
				continue
			}
			command := strings.Join(strings.Fields(strings.Join(step.Text(), " ")), " ")
			command = strings.ReplaceAll(command, " \\ ", " ") // it went on in the next line
			if !typed[command] {
				typed[command] = true
				entries = append(entries, site.SearchEntry{
					Kind: "kubectl", Title: command, Href: snippet.AddressOn(part, t.id), Text: printed(stepLines(step)[len(typedOf(step)):]),
				})
			}
		}
		return true
	})
	return entries
}

// eventReason is a word in code that stands in an event or a condition: what goes wrong
// is looked for by it.
var eventReason = regexp.MustCompile(`"([A-Z][a-z]+(?:[A-Z][a-z]+)+)"`)

// said returns what a program that stands by itself on a page says: the reasons in
// code, and what a run prints.
func said(n ast.Node) string {
	woven, ok := n.(*prose.Block)
	if !ok {
		return ""
	}
	switch shown := woven.Element.(type) {
	case code:
		var words []string
		for _, match := range eventReason.FindAllStringSubmatch(strings.Join(shown.Texts(), "\n"), -1) {
			words = append(words, match[1])
		}
		return strings.Join(words, " ")
	case *output:
		return printed(shown.lines)
	}
	return ""
}

// wrong begins or goes through a line that says what went wrong.
var wrong = regexp.MustCompile(`(?i)^error|^warning:|cannot |failed|exceeded|forbidden|^waiting for`)

// printed returns the lines of an output as far as a reader would search for
// them: numbers and ages are left out. What went wrong stays as it was said.
func printed(lines []string) string {
	var words []string
	seen := map[string]bool{}
	for _, line := range lines {
		fields := strings.Fields(line)
		if said := strings.Join(fields, " "); wrong.MatchString(said) {
			if !seen[said] {
				words = append(words, said)
				seen[said] = true
			}
			continue
		}
		for _, word := range fields {
			if len(word) > 3 && unicode.IsLetter(rune(word[0])) && !seen[word] {
				words = append(words, word)
				seen[word] = true
			}
		}
	}
	return strings.Join(words, " ")
}

// fieldEntries returns the fields of Kubernetes' objects that the chapter's
// code uses, as YAML has them, each with the place of its first use.
func (c *Chapter) fieldEntries() []site.SearchEntry {
	var entries []site.SearchEntry
	seen := map[string]bool{}
	for p, file := range c.Files() {
		for _, ref := range p.Info.Refs[file.Name] {
			owner, field, ok := strings.Cut(ref.Name, ".")
			if file.Test || !ok || !ref.Field || !isAPI(ref.Pkg) || seen[ref.Name] {
				continue
			}
			seen[ref.Name] = true
			line := file.Line(ref.Offset)
			user := file.Enclosing(line, line)
			if user == nil {
				continue
			}
			entries = append(entries, site.SearchEntry{
				Kind: "field", Title: owner + "." + inYAML(field),
				Href: cmp.Or(c.statementOf(user), c.use(user).Href), Text: p.Qualified(user.Name) + " · " + c.Name(file),
			})
		}
	}
	return entries
}

// isAPI reports whether a package holds the types of manifests.
func isAPI(pkg string) bool {
	return strings.HasPrefix(pkg, "k8s.io/api/") || pkg == "k8s.io/apimachinery/pkg/apis/meta/v1"
}

// inYAML returns a field's name as manifests have it: dnsPolicy for DNSPolicy.
func inYAML(field string) string {
	upper := strings.IndexFunc(field, func(r rune) bool { return !unicode.IsUpper(r) })
	switch {
	case upper < 0:
		return strings.ToLower(field)
	case upper > 1:
		upper--
	}
	return strings.ToLower(field[:upper]) + field[upper:]
}

// testEntries returns the chapter's tests.
func (c *Chapter) testEntries() []site.SearchEntry {
	var entries []site.SearchEntry
	for _, file := range c.Files() {
		for _, decl := range file.Decls {
			if file.Test && strings.HasPrefix(decl.Name, "Test") {
				entries = append(entries, site.SearchEntry{
					Kind: "test", Title: decl.Name, Href: c.ListingHref(file, decl.Line),
				})
			}
		}
	}
	return entries
}
