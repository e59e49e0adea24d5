// Package course reads courses: ways to teach the book, each a file of the folder
// workshop. It knows where an item leads and resolves nothing: neither how long a
// section takes, nor whether there is such an exercise.
//
// In reading order: course.go (a file, its front matter), item.go (what a room
// does), timetable.go (by the clock), checkpoint.go (where one who was lost begins
// anew).
package course

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/source"
)

// Folder is the one with the courses, beside that of the chapters.
const Folder = "workshop"

// Course is a way to teach the book, or for one reader to work through it.
type Course struct {
	Slug           string // "day", of day.md
	File           string // as errors print it
	Title, Summary string

	// A reader alone has no clock: only People, which is 1, is set.
	Starts   []int // of each evening, or of the one day, in minutes after midnight
	Minutes  int   // from the beginning to the end of each, breaks included
	People   int
	Breaks   Breaks
	Body     string // Markdown: what its instructor reads first
	BodyLine int
	Sessions []*Session
}

// Breaks says how long people work without one. The zero value has none.
type Breaks struct{ Minutes, Every int }

// Session is what a room does without a long break.
type Session struct {
	Title   string
	Evening int // from 1
	Line    int
	Items   []*Item
}

// front has the keys that a course's file may have.
type front struct {
	Title   string `yaml:"title"`
	Summary string `yaml:"summary"`
	Start   string `yaml:"start"`
	Minutes int    `yaml:"minutes"`
	People  int    `yaml:"people"`
	Breaks  string `yaml:"breaks"`
}

// Load reads the courses in a folder: those for rooms, the shortest first, and that
// for one reader, or nil. Without the folder there are none. All problems are
// reported together, and a course with problems is among the results as far as it
// can be read.
func Load(dir string) (rooms []*Course, alone *Course, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	errs := []error{err}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		course, err := Parse(file, content)
		errs = append(errs, err)
		switch {
		case !course.Alone():
			rooms = append(rooms, course)
		case alone != nil:
			errs = append(errs, course.problem(1, "people: 1 is for one reader, and so is %s", alone.File))
		default:
			alone = course
		}
	}
	slices.SortStableFunc(rooms, func(a, b *Course) int {
		return cmp.Compare(a.Minutes*len(a.Starts), b.Minutes*len(b.Starts))
	})
	return rooms, alone, source.Join(errs...)
}

// Alone reports whether the course is for one reader.
func (c *Course) Alone() bool { return c.People == 1 }

// Exercises returns the numbers of the course's exercises, in their order.
func (c *Course) Exercises() (numbers []string) {
	for _, s := range c.Sessions {
		numbers = append(numbers, s.Exercises()...)
	}
	return numbers
}

// name matches a file whose name can be that of a folder of the site.
var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.md$`)

// Parse reads a course.
func Parse(file string, content []byte) (*Course, error) {
	c := &Course{File: file, Slug: strings.TrimSuffix(filepath.Base(file), ".md")}
	var errs []error
	if !name.MatchString(filepath.Base(file)) {
		errs = append(errs, c.problem(1, "a course's file is named in small letters, digits and dashes"))
	}
	var f front
	body, line, err := source.FrontMatter(file, content, &f)
	if err != nil {
		return c, source.Join(append(errs, err)...)
	}
	errs = append(errs, c.applyFrontMatter(f), c.parse(strings.Split(string(body), "\n"), line))
	if !c.Alone() {
		errs = append(errs, c.evenings())
	}
	return c, source.Join(errs...)
}

func (c *Course) problem(line int, format string, args ...any) error {
	return source.At(c.File, line, format, args...)
}

var every = regexp.MustCompile(`^([1-9][0-9]*) every ([1-9][0-9]*)$`)

// applyFrontMatter takes over what front matter says.
func (c *Course) applyFrontMatter(f front) error {
	var errs []error
	wrong := func(message string) { errs = append(errs, c.problem(1, "%s", message)) }
	c.Title, c.Summary, c.Minutes, c.People = f.Title, f.Summary, f.Minutes, f.People
	if f.Title == "" || f.Summary == "" {
		wrong("front matter needs a title and a summary")
	}
	if c.Alone() {
		if f.Start != "" || f.Minutes != 0 || f.Breaks != "" {
			wrong("one reader has neither start nor minutes nor breaks")
		}
		return source.Join(errs...)
	}
	if f.Minutes <= 0 || f.People <= 0 {
		wrong("front matter needs minutes and people, both above zero")
	}
	for clock := range strings.SplitSeq(f.Start, ",") {
		at, ok := minuteOf(strings.TrimSpace(clock))
		if !ok {
			wrong(`start: a time such as "09:00", or several with commas between them, one an evening`)
		}
		c.Starts = append(c.Starts, at)
	}
	if f.Breaks != "" {
		m := every.FindStringSubmatch(f.Breaks)
		if m == nil {
			wrong("breaks: so many minutes after so many: 10 every 80")
			return source.Join(errs...)
		}
		c.Breaks = Breaks{number(m[1]), number(m[2])}
	}
	return source.Join(errs...)
}

var clock = regexp.MustCompile(`^([01][0-9]|2[0-3]):([0-5][0-9])$`)

// minuteOf returns the minute after midnight of a time.
func minuteOf(text string) (minute int, ok bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	return 60*number(m[1]) + number(m[2]), true
}

// number returns the number that digits write. With too many digits it is the
// largest int, which is above every limit.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// evenings reports an evening that has no time to start, and a time without one.
func (c *Course) evenings() error {
	var errs []error
	before := 1
	for _, s := range c.Sessions {
		if s.Evening != before && s.Evening != before+1 || s.Evening > len(c.Starts) {
			errs = append(errs, c.problem(s.Line, "evening %d follows evening %d, of %d that have a start", s.Evening, before, len(c.Starts)))
		}
		before = s.Evening
	}
	if before < len(c.Starts) && len(errs) == 0 {
		errs = append(errs, c.problem(1, "no session begins evening %d", before+1))
	}
	return source.Join(errs...)
}
