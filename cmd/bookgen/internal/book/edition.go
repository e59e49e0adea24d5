package book

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
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

// released matches the heading of an edition in the changelog, and the last day in it.
var released = regexp.MustCompile(`(?m)^## (.* (\d+ \w+ \d{4}))$`)

// editions returns those of a changelog whose newest is this one; otherwise this one alone.
func editions(file string, this Edition) ([]Edition, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Edition
	found := released.FindAllSubmatchIndex(text, -1)
	for i, at := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		day, err := time.Parse(dayInWords, string(text[at[4]:at[5]]))
		var changes bytes.Buffer
		if err := errors.Join(err, goldmark.Convert(text[at[1]:end], &changes)); err != nil {
			return nil, source.At(file, bytes.Count(text[:at[0]], []byte("\n"))+1, "%v", err)
		}
		all = append(all, Edition{string(text[at[2]:at[3]]), day, changes.String()})
	}
	if len(all) == 0 || all[0].Name != this.Name {
		return []Edition{this}, nil
	}
	return all, nil
}
