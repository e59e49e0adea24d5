package book

import (
	"fmt"
	"time"

	"reconcile/internal/source"
)

// edition returns what pages say of the book's edition: "Edition 4, 30 November 2026".
// Both keys are required, because a printed copy is told from another by nothing else.
func edition(file string, number int, date string) (string, error) {
	day, err := time.Parse(time.DateOnly, date)
	if number < 1 || err != nil {
		return "", source.At(file, 1, "front matter needs `edition: 1` and `date: 2026-01-31`: a whole number and a day")
	}
	return fmt.Sprintf("Edition %d, %s", number, day.Format("2 January 2006")), nil
}
