package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"reconcile/internal/english"
)

// narrowest is how narrow a column gets for the sake of others.
const narrowest = 8

// grid lays out the rows of a table in Markdown, no wider than columns if that is
// possible: what is too wide goes on below, in its own column.
func grid(lines []string, columns int) string {
	var rows [][]string
	for _, line := range lines {
		if strings.Trim(line, "|-: ") == "" && len(rows) == 1 {
			continue // it only divides the head from the rest
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(rows) > 0 {
			cells = append(cells, make([]string, len(rows[0]))...)[:len(rows[0])]
		}
		rows = append(rows, cells)
	}
	widths := widthsOf(rows)
	for total(widths) > columns {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			break
		}
		widths[widest]--
	}
	var out strings.Builder
	for i, row := range rows {
		out.WriteString(gridRow(row, widths))
		if i == 0 {
			for at := range row {
				row[at] = strings.Repeat("-", widths[at])
			}
			out.WriteString(gridRow(row, widths))
		}
	}
	return out.String()
}

// gridRow returns a row with its cells wrapped.
func gridRow(row []string, widths []int) string {
	var cells [][]string
	height := 0
	for i, cell := range row {
		cells = append(cells, strings.Split(strings.TrimSuffix(english.Wrap(cell, widths[i]), "\n"), "\n"))
		height = max(height, len(cells[i]))
	}
	var out strings.Builder
	for y := range height {
		line := ""
		for i := range cells {
			part := ""
			if y < len(cells[i]) {
				part = cells[i][y]
			}
			line += part + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(part))+gap)
		}
		fmt.Fprintln(&out, strings.TrimRight(line, " "))
	}
	return out.String()
}
