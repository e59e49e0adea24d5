package source

import "strings"

// nearest returns the name that differs least from the one looked for, or "" if
// none resembles it.
func nearest(name string, names []string) string {
	best, least := "", len(name)/2+1
	for _, candidate := range names {
		d := distance(strings.ToLower(name), strings.ToLower(candidate))
		if d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance returns Levenshtein's: how many bytes to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
