package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// tree is the book's folder.
const tree = "../.."

// A page is a Markdown file as a forge shows it.
type page struct {
	headings []string // their ids
	links    []string
	commands []string // lines in which Go is told something
}

var (
	embedded = regexp.MustCompile(`\b(?:src|srcset|href)="([^"]+)"`)
	comment  = regexp.MustCompile(`\s+#.*`)
)

func markdown(t *testing.T, file string) (p page) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(file)))
	require.NoError(t, err)
	code := func(lines string) {
		for line := range strings.Lines(lines) {
			if line = comment.ReplaceAllString(strings.TrimSpace(line), ""); strings.HasPrefix(line, "go ") {
				p.commands = append(p.commands, line)
			}
		}
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	err = ast.Walk(parser.Parse(text.NewReader(content)), func(n ast.Node, enters bool) (ast.WalkStatus, error) {
		if !enters {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.headings = append(p.headings, slug(string(n.Lines().Value(content))))
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Image:
			p.links = append(p.links, string(n.Destination))
		case *ast.HTMLBlock:
			for _, found := range embedded.FindAllStringSubmatch(string(n.Lines().Value(content)), -1) {
				p.links = append(p.links, found[1])
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			code(string(n.Lines().Value(content)))
		case *ast.CodeSpan:
			code(string(n.FirstChild().(*ast.Text).Value(content)))
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	return p
}

// slug returns the id that a forge gives a heading. What the book's headings have in
// braces counts as words there.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// follow returns what is wrong with a link of a file in the book's folder, or "".
func follow(t *testing.T, link string) string {
	t.Helper()
	file, id, _ := strings.Cut(link, "#")
	path := filepath.Join(tree, filepath.FromSlash(file))
	if _, err := os.Stat(path); err != nil {
		return "there is no such file"
	}
	if id == "" {
		return ""
	}
	if filepath.Ext(file) == ".md" {
		if ids := markdown(t, file).headings; !slices.Contains(ids, id) {
			return fmt.Sprint("its headings are ", ids)
		}
		return ""
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	if !regexp.MustCompile(`\sid="?` + regexp.QuoteMeta(id) + `["\s>]`).Match(content) {
		return "nothing there has that id"
	}
	return ""
}

func TestTheLinksOfREADMELeadSomewhere(t *testing.T) {
	links := markdown(t, "README.md").links
	require.Greater(t, len(links), 20)
	for _, link := range links {
		assert.Empty(t, follow(t, link), link)
	}
	assert.Contains(t, follow(t, "docs/no.md"), "no such file")
	assert.Contains(t, follow(t, "docs/design.md#no"), "seams", "and a heading that is there is listed")
	assert.Contains(t, follow(t, "site/index.html#no"), "nothing there")
}

// README is a door: what a reader does behind it is said there.
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tree, "README.md"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(strings.Fields(string(text))), 700)
}

// Its map has every folder of a clone.
func TestTheMapInREADMEIsWhole(t *testing.T) {
	list := exec.Command("git", "ls-files")
	list.Dir = tree
	tracked, err := list.Output()
	if err != nil {
		t.Skip("this is no clone, and git says which folders are the book's: ", err)
	}
	mapped := strings.Join(markdown(t, "README.md").links, "\n")
	for _, folder := range regexp.MustCompile(`(?m)^[^/\n]+/`).FindAllString(string(tracked), -1) {
		assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(strings.TrimSuffix(folder, "/"))+`(/\w+)?$`, mapped)
	}
}
