package book

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reconcile/internal/source"
)

// Chapter is one folder of the book.
type Chapter struct {
	Number         int
	Slug           string // the folder's name
	Dir            string
	Title, Summary string
	Written        bool
	Document       *Document // nil where not Written
}

// frontOfChapter are the keys that chapter.md may have.
type frontOfChapter struct {
	Number  int    `yaml:"number"`
	Title   string `yaml:"title"`
	Summary string `yaml:"summary"`
}

func loadChapter(dir string, number int, entry entry) (*Chapter, error) {
	chapter := &Chapter{
		Number: number, Slug: entry.Slug, Dir: filepath.Join(dir, entry.Slug),
		Title: Typographic(entry.Title), Summary: Typographic(entry.Summary),
	}
	file := filepath.Join(chapter.Dir, "chapter.md")
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return chapter, nil
	}
	if err != nil {
		return chapter, err
	}
	chapter.Written = true
	var front frontOfChapter
	body, line, err := frontMatter(file, content, &front)
	if err != nil {
		return chapter, err
	}
	errs := []error{chapter.agree(file, front)}
	if front.Summary != "" {
		chapter.Summary = Typographic(front.Summary)
	}
	chapter.Document, err = Parse(file, body, line)
	errs = append(errs, err, chapter.titled())
	return chapter, source.Join(errs...)
}

// agree compares a chapter's own front matter with its place in book.md.
func (c *Chapter) agree(file string, front frontOfChapter) error {
	var errs []error
	if front.Number != c.Number {
		errs = append(errs, source.At(file, 1, "number is %d, but book.md lists it as chapter %d", front.Number, c.Number))
	}
	if !strings.HasPrefix(c.Slug, fmt.Sprintf("%02d-", c.Number)) {
		errs = append(errs, source.At(file, 1, "the folder of chapter %d must begin with %02d-", c.Number, c.Number))
	}
	if Typographic(front.Title) != c.Title {
		errs = append(errs, source.At(file, 1, "title is %q, but book.md says %q", front.Title, c.Title))
	}
	return source.Join(errs...)
}

// titled demands that the text begins with its title.
func (c *Chapter) titled() error {
	doc := c.Document
	if len(doc.Headings) == 0 || doc.Headings[0].Level != 1 {
		return source.At(doc.File, doc.FirstLine, "the text must begin with `# %s`", c.Title)
	}
	if h := doc.Headings[0]; h.Title != c.Title {
		return source.At(doc.File, h.Line, "the heading is %q, but the title is %q", h.Title, c.Title)
	}
	return nil
}
