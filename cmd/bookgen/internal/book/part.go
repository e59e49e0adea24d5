package book

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// Part is a page of a chapter's text: one that is read, or the last, which says how the
// chapter differs from Kubernetes.
type Part struct {
	Name           string // its file in the chapter's folder
	Slug           string // the folder of its page on the site: "01-control-loop/the-kubelet"
	Chapter        int    // the number of its chapter
	Number         int    // from 1; 0 for the only one that is read, and for the last
	Title, Summary string
	Search         string // what search engines are told that it is about; "" for its title
	Beneath        bool   // it goes underneath what the chapter tells, once that is told
	Document       *Document
}

const (
	firstName    = "chapter.md"
	comparedName = "in-kubernetes.md"
)

// Compared reports whether the part is the page in-kubernetes.md, which is looked into and
// not read through.
func (p *Part) Compared() bool { return p.Name == comparedName }

// IsText reports whether a path in a chapter's folder is that of a part.
func IsText(name string) bool {
	return filepath.Ext(name) == ".md" && !strings.Contains(name, "/")
}

// Part returns the part that a file of the chapter's folder holds, or nil.
func (c *Chapter) Part(name string) *Part {
	for _, part := range c.Parts {
		if part.Name == name {
			return part
		}
	}
	return nil
}

// Page returns the number of the part's page in the book: "1.2", or that of the chapter for
// a part without a number.
func (p *Part) Page() string {
	if p.Number == 0 {
		return fmt.Sprint(p.Chapter)
	}
	return fmt.Sprintf("%d.%d", p.Chapter, p.Number)
}

// frontOfPart has the keys that a part's file may have.
type frontOfPart struct {
	Title   string `yaml:"title"`
	Summary string `yaml:"summary"`
	Search  string `yaml:"search"`
	Beneath bool   `yaml:"beneath"`
	Path    string `yaml:"path"`
}

// firstPart returns the part in chapter.md. Its heading is the chapter's title.
func (c *Chapter) firstPart(file string, body []byte, line int, front frontOfChapter) (*Part, error) {
	part := &Part{Name: firstName, Slug: c.Slug, Chapter: c.Number, Title: c.Title, Summary: c.Summary, Search: Typographic(front.Search)}
	if front.Part != "" {
		part.Title = Typographic(front.Part)
	}
	err := part.parse(file, body, line)
	return part, source.Join(err, part.headed(c.Title), part.mark(front.Path))
}

// partName matches a file whose name can be that of a folder of the site.
var partName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.md$`)

// taken lists the folders that a chapter has on the site already.
var taken = []string{"exercises", "manifests", "testdata"}

// loadPart reads a part that chapter.md lists.
func (c *Chapter) loadPart(chapterFile, name string) (*Part, error) {
	folder := strings.TrimSuffix(name, ".md")
	if !partName.MatchString(name) || name == firstName || name == lessonsName || slices.Contains(taken, folder) || c.Part(name) != nil {
		return nil, source.At(chapterFile, 1, "%q can be no part: it is a file in small letters, digits and dashes, listed once", name)
	}
	file := filepath.Join(c.Dir, name)
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, source.At(chapterFile, 1, "there is no file of the part %s in %s", name, c.Slug)
	}
	var front frontOfPart
	body, line, err := source.FrontMatter(file, content, &front)
	if err != nil {
		return nil, err
	}
	part := &Part{
		Name: name, Slug: c.Slug + "/" + folder, Chapter: c.Number,
		Title: Typographic(front.Title), Summary: Typographic(front.Summary), Search: Typographic(front.Search), Beneath: front.Beneath,
	}
	errs := []error{required(file, "title", front.Title), required(file, "summary", front.Summary)}
	errs = append(errs, part.parse(file, body, line), part.headed(part.Title), part.mark(front.Path))
	return part, source.Join(errs...)
}

// parse parses the part's text.
func (p *Part) parse(file string, body []byte, line int) (err error) {
	p.Document, err = Parse(file, body, line)
	p.Document.Part = p
	return err
}

// headed demands that the text begins with its title.
func (p *Part) headed(title string) error {
	doc := p.Document
	if len(doc.Headings) == 0 || doc.Headings[0].Level != 1 {
		return source.At(doc.File, doc.FirstLine, "the text must begin with `# %s`", title)
	}
	if h := doc.Headings[0]; h.Title != title {
		return source.At(doc.File, h.Line, "the heading is %q, but the title is %q", h.Title, title)
	}
	return nil
}

// mark gives the page's opening, up to the first section, what front matter says of it.
func (p *Part) mark(path string) error {
	short, err := isShort(p.Document.File, 1, path)
	if len(p.Document.Headings) > 0 {
		p.Document.Headings[0].Short = short
	}
	return err
}

// numberParts numbers the parts that are read through, if a chapter has
// several.
func (c *Chapter) numberParts() {
	var read []*Part
	for _, part := range c.Parts {
		if !part.Compared() {
			read = append(read, part)
		}
	}
	if len(read) < 2 {
		return
	}
	for i, part := range read {
		part.Number = i + 1
	}
}

// agreeOnParts demands that chapter.md lists its parts, the comparison last, and names the
// first part if it has several to read.
func (c *Chapter) agreeOnParts(file string, front frontOfChapter) error {
	var errs []error
	last := len(front.Parts) - 1
	several := last > 0
	switch {
	case last < 0 || front.Parts[last] != comparedName:
		errs = append(errs, source.At(file, 1, "the last of parts is %s", comparedName))
	case several && front.Part == "":
		errs = append(errs, source.At(file, 1, "front matter lacks part, the title of the first of the parts"))
	case !several && front.Part != "":
		errs = append(errs, source.At(file, 1, "the chapter has one part to read, so that it needs no title: part is %q", front.Part))
	}
	written, err := filepath.Glob(filepath.Join(c.Dir, "*.md"))
	errs = append(errs, err)
	for _, path := range written {
		if name := filepath.Base(path); name != firstName && name != lessonsName && !slices.Contains(front.Parts, name) {
			errs = append(errs, source.At(path, 1, "parts of %s does not list it", firstName))
		}
	}
	return source.Join(errs...)
}
