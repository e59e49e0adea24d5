package voice

import (
	"errors"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// Comments holds the counts of the comments of Go code.
type Comments struct {
	Words     int
	Headless  int // sentences, not questions, that headless matches
	Nobodies  int // words that anyone matches
	Functions int // with a doc comment
	Are       int // those that begin "X is", "X are", "X has"

	Found []error // each of these sentences and functions, at file:line
}

var (
	headless = regexp.MustCompile(`^["“‘(]*(?:Who|What|Where|Whoever)(?:’s|'s)?\b`)
	anyone   = regexp.MustCompile(`(?i)\b(?:nobody|somebody|anybody|everybody|whoever)\b`)
)

// InComments counts in the comments of every Go file at or below a folder of
// root, if it exists, but for tests, testdata, and comments before a package
// clause that are not its doc comment.
func InComments(root fs.FS, folder string) (Comments, error) {
	var c Comments
	err := fs.WalkDir(root, folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		content, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		return c.file(file, content)
	})
	return c, err
}

func (c *Comments) file(name string, content []byte) error {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, content, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range syntax.Comments {
		if group == syntax.Doc || group.Pos() > syntax.Package {
			c.group(name, set.Position(group.Pos()).Line, group.Text())
		}
	}
	for _, decl := range syntax.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Doc == nil {
			continue
		}
		c.Functions++
		words := append(strings.Fields(function.Doc.Text()), "", "")
		if words[0] == function.Name.Name && slices.Contains([]string{"is", "are", "has"}, words[1]) {
			c.Are++
			c.found(name, set.Position(function.Doc.Pos()).Line, strings.Join(words[:min(8, len(words)-2)], " "))
		}
	}
	return nil
}

// group counts in one comment, whose code blocks are no sentences.
func (c *Comments) group(name string, line int, text string) {
	for _, paragraph := range paragraphs(new(comment.Parser).Parse(text).Content) {
		c.Words += len(strings.Fields(paragraph))
		for _, sentence := range sentences(paragraph) {
			begins := headless.MatchString(sentence) && !strings.HasSuffix(strings.TrimRight(sentence, " ”’)\"'"), "?")
			if begins {
				c.Headless++
			}
			nobodies := len(anyone.FindAllString(sentence, -1))
			c.Nobodies += nobodies
			if begins || nobodies > 0 {
				c.found(name, line, strings.TrimSpace(sentence))
			}
		}
	}
}

func (c *Comments) found(name string, line int, text string) {
	c.Found = append(c.Found, source.At(name, line, "%s", text))
}

// paragraphs returns the text of each paragraph and of each item of a list.
func paragraphs(blocks []comment.Block) []string {
	var all []string
	for _, block := range blocks {
		switch block := block.(type) {
		case *comment.Paragraph:
			all = append(all, plain(block.Text))
		case *comment.List:
			for _, item := range block.Items {
				all = append(all, paragraphs(item.Content)...)
			}
		}
	}
	return all
}

func plain(text []comment.Text) string {
	var b strings.Builder
	for _, t := range text {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plain(t.Text))
		case *comment.DocLink:
			b.WriteString(plain(t.Text))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
