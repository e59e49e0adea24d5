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
	Parts          []*Part          // its pages, the comparison last; none where not Written
	Unread         []string         // parts that are listed, and cannot be read
	Core           []string         // files and folders of packages that it is about, in the order of reading
	CoreLines      int              // how many lines those may have
	Lessons        *Lessons         // how to teach it; nil if nobody has written that
	Lent           map[string]*Page // exercises that a page beside the chapters shows, by their numbers
}

// frontOfChapter has the keys that chapter.md may have.
type frontOfChapter struct {
	Number  int      `yaml:"number"`
	Title   string   `yaml:"title"`
	Summary string   `yaml:"summary"`
	Search  string   `yaml:"search"`
	Path    string   `yaml:"path"`
	Part    string   `yaml:"part"`
	Parts   []string `yaml:"parts"`
	Core    []string `yaml:"core"`
}

func loadChapter(dir string, number int, entry entry) (*Chapter, error) {
	chapter := &Chapter{
		Number: number, Slug: entry.Slug, Dir: filepath.Join(dir, entry.Slug),
		Title: Typographic(entry.Title), Summary: Typographic(entry.Summary), // until it is written
		CoreLines: entry.Core,
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
	body, line, err := source.FrontMatter(file, content, &front)
	if err != nil {
		return chapter, err
	}
	errs := []error{chapter.agree(file, front)}
	if entry.Summary != "" {
		errs = append(errs, source.At(file, 1, "the chapter is written, so that its summary stands here, and no longer in book.md"))
	}
	chapter.Summary, chapter.Core = Typographic(front.Summary), front.Core
	if len(front.Core) == 0 {
		errs = append(errs, source.At(file, 1, "front matter lacks core, what the chapter is about: `core: [queue.go, store]` names files and packages in the order of reading"))
	}
	first, err := chapter.firstPart(file, body, line, front)
	chapter.Parts = append(chapter.Parts, first)
	errs = append(errs, err)
	for _, name := range front.Parts {
		part, err := chapter.loadPart(file, name)
		if part != nil {
			chapter.Parts = append(chapter.Parts, part)
		} else {
			chapter.Unread = append(chapter.Unread, name)
		}
		errs = append(errs, err)
	}
	chapter.numberParts()
	chapter.Lessons, err = loadLessons(filepath.Join(chapter.Dir, lessonsName))
	errs = append(errs, chapter.agreeOnParts(file, front), err)
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
