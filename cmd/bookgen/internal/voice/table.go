package voice

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Row is a text with its name.
type Row struct {
	Name string
	Voice
}

// Write prints texts beside each other, by a thousand words.
func Write(out io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(head string, cell func(v Voice) string) {
		fmt.Fprint(table, head)
		for _, row := range rows {
			fmt.Fprintf(table, "\t%s", cell(row.Voice))
		}
		fmt.Fprintln(table, "\t")
	}
	by := func(head string, count func(v Voice) int) {
		line(head, func(v Voice) string { return fmt.Sprintf("%.1f", 1000*share(count(v), v.Words)) })
	}
	fmt.Fprint(table, "per 1,000 words")
	for _, row := range rows {
		fmt.Fprintf(table, "\t%s", row.Name)
	}
	fmt.Fprintln(table, "\t")
	by("contractions", func(v Voice) int { return v.Contractions })
	by("I, we, our", func(v Voice) int { return v.Speakers })
	by("nobody, somebody, whoever", func(v Voice) int { return v.Nobodies })
	by("sentences that begin with It", func(v Voice) int { return v.Its })
	line("sentences of 8 words or fewer", func(v Voice) string { return fmt.Sprintf("%.0f %%", 100*share(v.Short, v.Sentences)) })
	by("colons", func(v Voice) int { return v.Colons })
	by("semicolons", func(v Voice) int { return v.Semicolons })
	by("look", func(v Voice) int { return v.Looks })
	by("the one who, those who", func(v Voice) int { return v.Headless })
	by("goes, gone, comes, came", func(v Voice) int { return v.Moves })
	line("sentences of more than 32 words", func(v Voice) string { return fmt.Sprintf("%.0f %%", 100*share(v.Long, v.Sentences)) })
	line("paragraphs that lead to a listing", func(v Voice) string { return fmt.Sprintf("%.0f %%", 100*share(v.LeadIns, v.Paragraphs)) })
	line("words", func(v Voice) string { return fmt.Sprint(v.Words) })
	line("sentences", func(v Voice) string { return fmt.Sprint(v.Sentences) })
	return table.Flush()
}

// Code holds the counts of the comments of a folder, with its name.
type Code struct {
	Name string
	Comments
}

// WriteComments prints the counts of comments, a line for each folder, and
// below them the anchors.
func WriteComments(out io.Writer, rows []Code) error {
	for _, anchor := range Anchors() {
		rows = append(rows, Code{anchor.Import + " " + anchor.Version, anchor.Comments})
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "comments, per 1,000 words\tWho, What, Where …\tnobody, somebody …\tfunctions that “are”\twords")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.0f %%\t%d\n", row.Name, 1000*share(row.Headless, row.Words),
			1000*share(row.Nobodies, row.Words), 100*share(row.Are, row.Functions), row.Words)
	}
	return table.Flush()
}

func share(count, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(count) / float64(of)
}
