package weave

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/script"

	"github.com/yuin/goldmark/ast"
)

// statesFile has the states in which something stands still. The tests of
// internal/trace/why play them, so none is typed by hand.
const statesFile = "states.txt"

// state is such a state, folded: how it comes about, what is asked and answered, and
// what moves it.
type state struct {
	title string
	steps transcript
}

// state resolves a reference to a state of the file beside a page, by its title.
func (v *volume) state(doc *book.Document, ref book.Reference) (element, error) {
	file := filepath.Join(filepath.Dir(doc.File), statesFile)
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	above := 0 // lines
	for _, text := range strings.Split(string(content), "\n=== ") {
		head, steps, _ := strings.Cut(text, "\n")
		title, _, _ := strings.Cut(head, ": ")
		above += strings.Count(text, "\n") + 1
		if title = book.Typographic(title); title != ref.Text {
			continue
		}
		blank := strings.Repeat("\n", above-strings.Count(steps, "\n")-1) // so that an error names its line
		played, err := script.Parse(file, []byte(blank+strings.TrimRight(steps, "\n")+"\n"))
		if err != nil {
			return nil, err
		}
		return &state{title, transcript{script: played, steps: played.Steps}}, nil
	}
	return nil, fmt.Errorf("%s has no state %q", statesFile, ref.Text)
}

func (s *state) nodes(*page) node.List {
	printed := s.steps.printed()
	if lab := s.lab(); lab != "" {
		printed.InsertBefore(typedLines(lab), printed.FirstChild)
	}
	return node.List{node.New("details", node.Class("answer question"), node.ID(book.Slug(s.title)), node.New("summary", s.title), "\n",
		node.New("figure", node.Class("output scene"+stripClass(s.steps.lines())), node.New("pre", printed)))}
}

// lab returns what starts a lab for the state; "": the page has said it, a lab of one node.
func (s *state) lab() string {
	nodes, with := s.steps.script.Setting("nodes", "1"), s.steps.script.Setting("with", "")
	switch {
	case with != "":
		return "lab up --nodes " + nodes + " --with " + with
	case nodes != "1":
		return "lab up --nodes " + nodes
	}
	return ""
}

func (s *state) count(c *Counts) { s.steps.count(c) }

// stateEntries returns the states of a page, by what is said in each.
func stateEntries(doc *book.Document, page string) []site.SearchEntry {
	var entries []site.SearchEntry
	doc.Walk(func(n ast.Node) bool {
		woven, ok := n.(*prose.Block)
		if !ok {
			return true
		}
		if s, ok := woven.Element.(*state); ok {
			entries = append(entries, site.SearchEntry{
				Kind: "section", Title: s.title, Href: page + "#" + book.Slug(s.title), Text: printed(s.steps.lines()),
			})
		}
		return true
	})
	return entries
}
