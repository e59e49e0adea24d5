package figure

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// clock writes a virtual time as people say it: 0 s, 250 ms, 1 min 5 s. It
// leaves out units that are too small to matter beside the rest.
func clock(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d == 0:
		return "0 s"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", ns)
	case d < time.Millisecond:
		return decimal(d, time.Microsecond) + " µs"
	case d < time.Second:
		return decimal(d, time.Millisecond) + " ms"
	case d < time.Minute:
		return decimal(d, time.Second) + " s"
	}
	large, small := "min", "s"
	unit := time.Minute
	if d >= time.Hour {
		large, small, unit = "h", "min", time.Hour
	}
	d = d.Round(unit / 60)
	out := fmt.Sprintf("%d %s", d/unit, large)
	if rest := d % unit; rest > 0 {
		out += fmt.Sprintf(" %d %s", rest/(unit/60), small)
	}
	return out
}

// decimal writes d in units, with three digits behind the point at most.
func decimal(d, unit time.Duration) string {
	thousandths := math.Round(float64(d) / float64(unit) * 1000)
	return strconv.FormatFloat(thousandths/1000, 'f', -1, 64)
}

// count writes a small number as a word.
func count(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six",
		"seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}
