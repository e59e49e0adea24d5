package book

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/yuin/goldmark"

	"reconcile/internal/source"
)

// Edition is one of the book's.
type Edition struct {
	Name    string // "Edition 4, 30 November 2026"
	Day     time.Time
	Changes string // as HTML; may be empty
}

// Imprint says whose the book is. Any of it may be empty.
type Imprint struct {
	Author    string `yaml:"author"`
	Publisher string `yaml:"publisher"`
	Rights    string `yaml:"rights"` // what one may do with the book, in a sentence
	UUID      string `yaml:"uuid"`   // its name for libraries and shops, in all editions
}

const dayInWords = "2 January 2006"

// edition returns the book's own. Both keys are required, because a printed copy is told
// from another by nothing else.
func edition(file string, number int, date string) (Edition, error) {
	day, err := time.Parse(time.DateOnly, date)
	if number < 1 || err != nil {
		return Edition{}, source.At(file, 1, "front matter needs `edition: 1` and `date: 2026-01-31`: a whole number and a day")
	}
	return Edition{Name: fmt.Sprintf("Edition %d, %s", number, day.Format(dayInWords)), Day: day}, nil
}

// lastDay matches the day on which an edition was done, in its heading.
var lastDay = regexp.MustCompile(`\d+ \pL+ \d{4}$`)

// editions returns those of a changelog whose newest is this one; otherwise this one alone.
func editions(file string, this Edition) ([]Edition, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Edition
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		name, changes, _ := strings.Cut(section, "\n")
		day, err := time.Parse(dayInWords, lastDay.FindString(name))
		var markup strings.Builder
		if err := errors.Join(err, goldmark.Convert([]byte(changes), &markup)); err != nil {
			return nil, source.At(file, 1, "%s: %v", name, err)
		}
		all = append(all, Edition{name, day, markup.String()})
	}
	if len(all) == 0 || all[0].Name != this.Name {
		return []Edition{this}, nil
	}
	return all, nil
}
