// Package book reads an author's files: book.md, the chapters' parts, and every
// reference in them, each with the line it stands on. It resolves nothing;
// package weave does.
//
// In reading order: book.go (book.md), address.go, edition.go, beside.go (pages of no chapter), chapter.go (one chapter), part.go (its
// pages), document.go (Markdown with line numbers), fence.go (code that is
// typed), heading.go, reference.go, note.go (margin notes), question.go (with
// their answers), quotes.go (typographic ones), verdicts.go (what Kubernetes'
// controllers make of scenes), teach.go (what an instructor reads of a chapter).
package book

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

// Book is book.md and the chapters that it lists.
type Book struct {
	Title, Subtitle string
	Description     string
	Imprint
	CoverPicture []byte    // a PNG for shops; nil if there is none
	URL, Source  string    // addresses of the published site, and of the repository's files; may be empty
	Report       string    // address for mistakes, with {title} and {body}; may be empty
	Edition      string    // its number and day, in words
	Editions     []Edition // this one and those before, the newest first
	Home         *Document // the front page's prose
	Beside       []*Page   // pages of no chapter, in the order of book.md
	End          *Page     // the one of them that follows the last chapter, or nil
	Symptoms     *Page     // the one for who comes with a symptom, or nil
	Licence      *Page     // the one that says what one may do with the book, or nil
	Map          string    // the data of the map at the head of each chapter, below the folder of chapters; may be empty
	Loop         string    // the run that the drawing on the front page plays, likewise
	Verdicts     *Verdicts // of its scenes; nil if book.md names no such file
	Terms        *Document // the book's words; nil if there is no such file
	Chapters     []*Chapter
	Courses      []*course.Course // ways to teach it
	Alone        *course.Course   // for one reader, or nil

	Moved map[string]string // addresses on the site that pages had, and where they are
}

// frontOfBook has the keys that book.md may have.
type frontOfBook struct {
	Title       string `yaml:"title"`
	Subtitle    string `yaml:"subtitle"`
	Description string `yaml:"description"`
	Imprint     `yaml:",inline"`
	URL         string   `yaml:"url"`
	Source      string   `yaml:"source"`
	Report      string   `yaml:"report"`
	Edition     int      `yaml:"edition"`
	Date        string   `yaml:"date"`
	Pages       []string `yaml:"pages"`
	End         string   `yaml:"end"`
	Symptoms    string   `yaml:"symptoms"`
	Licence     string   `yaml:"licence"`
	Map         string   `yaml:"map"`
	Loop        string   `yaml:"loop"`
	Cover       string   `yaml:"cover"`
	Verdicts    string   `yaml:"verdicts"`
	Chapters    []entry  `yaml:"chapters"`

	Moved map[string]string `yaml:"moved"`
}

// entry is a chapter's line in book.md.
type entry struct {
	Slug    string `yaml:"slug"`
	Title   string `yaml:"title"`
	Summary string `yaml:"summary"`
	Core    int    `yaml:"core"` // lines, at most
}

// Load reads the folder that holds book.md and one folder a chapter, and, beside
// it, that of the courses. Chapters that are listed but have no chapter.md yet are
// included, with Written false.
func Load(dir string) (*Book, error) {
	file := filepath.Join(dir, "book.md")
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var front frontOfBook
	body, line, err := source.FrontMatter(file, content, &front)
	if err != nil {
		return nil, err
	}
	b := &Book{
		Title: Typographic(front.Title), Subtitle: Typographic(front.Subtitle),
		Description: Typographic(front.Description), Imprint: front.Imprint, Map: front.Map, Moved: front.Moved, Loop: front.Loop,
		URL: front.URL, Source: front.Source, Report: front.Report,
	}
	errs := []error{required(file, "title", front.Title), required(file, "description", front.Description)}
	for _, address := range [][2]string{{"url", front.URL}, {"source", front.Source}, {"report", front.Report}} {
		if err := CheckAddress(address[0], address[1]); err != nil {
			errs = append(errs, source.At(file, 1, "%v", err))
		}
	}
	if front.UUID != "" {
		if err := uuid.Validate(front.UUID); err != nil {
			errs = append(errs, source.At(file, 1, "uuid: %v", err))
		}
	}
	if front.Cover != "" {
		b.CoverPicture, err = os.ReadFile(filepath.Join(dir, front.Cover))
		errs = append(errs, err)
	}
	this, err := edition(file, front.Edition, front.Date)
	errs = append(errs, err)
	b.Edition = this.Name
	b.Editions, err = editions(filepath.Join(filepath.Dir(dir), "CHANGELOG.md"), this)
	errs = append(errs, err)
	b.Home, err = Parse(file, body, line)
	errs = append(errs, err)
	for _, name := range front.Pages {
		page, err := loadPage(file, dir, name)
		if page != nil {
			b.Beside = append(b.Beside, page)
			switch name {
			case front.End:
				b.End = page
			case front.Symptoms:
				b.Symptoms = page
			case front.Licence:
				b.Licence = page
			}
		}
		errs = append(errs, err)
	}
	for i, entry := range front.Chapters {
		chapter, err := loadChapter(dir, i+1, entry)
		b.Chapters = append(b.Chapters, chapter)
		errs = append(errs, err)
	}
	for _, page := range [][2]string{{"end", front.End}, {"symptoms", front.Symptoms}, {"licence", front.Licence}} {
		if page[1] != "" && !slices.Contains(front.Pages, page[1]) {
			errs = append(errs, source.At(file, 1, "%s: %s is not one of the pages", page[0], page[1]))
		}
	}
	b.lend()
	b.Verdicts, err = loadVerdicts(file, front.Verdicts)
	errs = append(errs, err)
	b.Terms, err = loadTerms(filepath.Join(dir, "terms.md"))
	errs = append(errs, err, unlisted(dir, file, front.Chapters), unlistedPages(dir, file, front.Pages))
	b.Courses, b.Alone, err = course.Load(filepath.Join(filepath.Dir(dir), course.Folder))
	return b, source.Join(append(errs, err)...)
}

// loadTerms reads the book's words, if there is such a file.
func loadTerms(file string) (*Document, error) {
	content, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(file, content, 1)
}

// unlisted reports chapters that were written but stand in no list, so that no
// reader would find them.
func unlisted(dir, file string, entries []entry) error {
	written, err := filepath.Glob(filepath.Join(dir, "*", "chapter.md"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range written {
		slug := filepath.Base(filepath.Dir(path))
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.Slug == slug }) {
			errs = append(errs, source.At(path, 1, "%s does not list the chapter %s", file, slug))
		}
	}
	return source.Join(errs...)
}

func required(file, key, value string) error {
	if value == "" {
		return source.At(file, 1, "front matter lacks %s", key)
	}
	return nil
}
