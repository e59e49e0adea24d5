package main

import (
	"slices"
	"unicode/utf8"
)

const (
	gap     = 3  // between the columns of the table of exercises
	titleAt = 1  // the column of titles
	legible = 20 // a title that is cut has so much left
)

// dispensable are the columns that a narrow terminal goes without, in order.
var dispensable = []string{"HINTS", "KIND", "ATTEMPTS", "LEVEL", "TIME", "LAST RESULT"}

// fit makes the table of exercises no wider than a terminal. It leaves columns
// out, until the titles have room enough, and cuts those.
func fit(rows [][]string, columns int) [][]string {
	widths := widthsOf(rows)
	for _, name := range dispensable {
		if columns-total(widths)+widths[titleAt] >= min(legible, widths[titleAt]) {
			break
		}
		at := slices.Index(rows[0], name)
		for i, row := range rows {
			rows[i] = slices.Delete(row, at, at+1)
		}
		widths = slices.Delete(widths, at, at+1)
	}
	room := max(1, columns-total(widths)+widths[titleAt])
	for _, row := range rows {
		if title := []rune(row[titleAt]); len(title) > room {
			row[titleAt] = string(title[:room-1]) + "…"
		}
	}
	return rows
}

// widthsOf returns the width of each column of a table.
func widthsOf(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// total returns the width of a table whose columns have these.
func total(widths []int) int {
	sum := (len(widths) - 1) * gap
	for _, width := range widths {
		sum += width
	}
	return sum
}
