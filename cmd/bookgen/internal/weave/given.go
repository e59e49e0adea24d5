package weave

import (
	"fmt"
	"go/doc/comment"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/internal/source"
)

// given is the card of a package that a chapter leans on and does not teach. The
// code of such a package is on listings only.
type given struct {
	chapter *Chapter
	program *Program
	mention // the place of the card
	title   string
	about   string // the first paragraph of the package's doc comment
	door    door
}

// readGiven finds the packages that are given.
func (c *Chapter) readGiven() error {
	var errs []error
	for _, folder := range c.Given {
		p := c.program(folder)
		switch _, twice := c.given[p]; {
		case p == nil || folder == "":
			errs = append(errs, c.frontError("given: there is no package in the folder %q", folder))
			continue
		case twice:
			errs = append(errs, c.frontError("given: %s is there twice", folder))
		case p.Name != "main" && !c.imports(p):
			errs = append(errs, c.frontError("given: nothing in %s imports %s", c.Slug, folder))
		}
		c.given[p] = nil
	}
	return source.Join(errs...)
}

// frontError returns a problem with the chapter's front matter.
func (c *Chapter) frontError(format string, args ...any) error {
	return source.At(c.Parts[0].Document.File, 1, format, args...)
}

// imports reports whether another package of the chapter imports p, be it in a
// test.
func (c *Chapter) imports(p *Program) bool {
	for other, file := range c.files() {
		for _, spec := range file.Syntax.Imports {
			if other != p && strings.Trim(spec.Path.Value, "`\"") == p.info.Path {
				return true
			}
		}
	}
	return false
}

// missingGiven reports the given packages that no page names.
func (c *Chapter) missingGiven() error {
	var errs []error
	for p, card := range c.given {
		if card == nil {
			errs = append(errs, c.frontError("%s is given and has no card: its chapter needs [what it is](%s)", p.Folder, p.Folder))
		}
	}
	return source.Join(errs...)
}

// givenCard resolves a reference to the folder of a package.
func (c *Chapter) givenCard(p *Program, ref book.Reference) (element, error) {
	before, isGiven := c.given[p]
	switch {
	case !isGiven:
		return nil, fmt.Errorf("%s is woven: only a given package has a card", ref.Path)
	case before != nil:
		return nil, fmt.Errorf("%s has a card already, by %s", ref.Path, before.from(ref))
	case ref.Fragment != "" || ref.Title != "":
		return nil, fmt.Errorf("the card of %s has no parts and no forms", ref.Path)
	}
	card := &given{chapter: c, program: p, mention: mentionOf(ref), title: ref.Text}
	c.given[p] = card
	file := p.front()
	if card.about = firstParagraph(file.Syntax.Doc.Text()); card.about == "" {
		return nil, source.At(file.Path, 1, "%s is given: the comment of its package says what it does for us", ref.Path)
	}
	var err error
	card.door, err = doorOf(p)
	return card, err
}

// firstParagraph returns the first paragraph of a doc comment, or "". Its doc
// links are text without brackets.
func firstParagraph(text string) string {
	parser := comment.Parser{LookupSym: func(string, string) bool { return true }}
	for _, block := range parser.Parse(text).Content {
		if _, ok := block.(*comment.Paragraph); ok {
			printer := &comment.Printer{TextWidth: -1}
			return strings.TrimSpace(string(printer.Text(&comment.Doc{Content: []comment.Block{block}})))
		}
	}
	return ""
}

// givenPiece shows code of a given package, in one of the forms that may repeat.
func (c *Chapter) givenPiece(file *source.File, ref book.Reference) (element, error) {
	if len(c.Core) == 0 && ref.Title != signatureForm && !strings.HasPrefix(ref.Title, fieldsForm) {
		return nil, fmt.Errorf("%s is of a given package: link to it in a sentence, or show it as %q or %q",
			address(ref), signatureForm, fieldsForm+" A, B")
	}
	if ref.Title == foldedForm {
		return nil, fmt.Errorf("%s is given, a click away: link to it in a sentence", address(ref))
	}
	p := &piece{file: file}
	if err := c.fill(p, ref); err != nil {
		return nil, err
	}
	p.signature = true
	p.visit(c)
	return p, nil
}

// lines counts the lines of a package's code that a page would have to show.
func (p *Program) lines() int {
	lines := 0
	for _, file := range p.Files {
		lines += owed(file)
	}
	return lines
}

// owed counts the lines of a file that a page would have to show: none of a test.
func owed(file *source.File) int {
	lines := 0
	for line := 1; line <= file.Lines() && !file.Test; line++ {
		if file.Owes(line) {
			lines++
		}
	}
	return lines
}

func (g *given) id() string { return elementID("given", g.program.Folder) }

// use returns a link to the card, or nil if there is none.
func (g *given) use() *site.Use {
	if g == nil {
		return nil
	}
	return &site.Use{Href: g.part.Slug + "/index.html#" + g.id(), Label: g.title}
}

func (g *given) html(p *page) string {
	var files []string
	for _, file := range g.program.Files {
		if !file.Test {
			files = append(files, fmt.Sprintf("<a href=%s%s.html>%s</a>", p.to(g.chapter), g.chapter.name(file), file.Name))
		}
	}
	kind := "package"
	if g.program.Name == "main" {
		kind = "program"
	}
	return fmt.Sprintf("<section class=given id=%[1]s aria-labelledby=%[1]s-title><p class=title id=%[1]s-title>%[2]s</p>"+
		"<p class=meta>given: %[3]s <code>%[4]s</code>, %[5]s</p><p>%[6]s</p>%[7]s"+
		"<details><summary>Its listings <span>%[8]s</span></summary><p>%[9]s</p></details></section>",
		g.id(), escaped(g.title), kind, escaped(g.program.Folder), lineCount(g.program.lines()),
		escaped(book.Typographic(g.about)), g.door.html(p, g.chapter), counted(len(files), "file"), strings.Join(files, ", "))
}

// openLines counts the lines that are not folded.
func (g *given) openLines() int {
	if g.door.long() {
		return 0
	}
	return len(g.door)
}
