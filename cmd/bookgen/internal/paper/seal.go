package paper

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// What Chromium writes at the end of a PDF: its first object, of the whole, and where
// all objects stand.
var (
	catalog  = regexp.MustCompile(`(?s)\d+ 0 obj\n(<</Type /Catalog\n.*?)>>\nendobj`)
	trailer  = regexp.MustCompile(`trailer\n<</Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R>>\nstartxref\n(\d+)\n%%EOF\s*$`)
	producer = regexp.MustCompile(`/Producer \((.*?)\)`)
)

// sealed returns the PDF with its properties, and with labels that are the numbers on its
// pages. What Chromium has written stays; two objects behind it take the place of its own.
func (d *document) sealed(pdf []byte) ([]byte, error) {
	root, end, by := catalog.FindSubmatch(pdf), trailer.FindSubmatch(pdf), producer.FindSubmatch(pdf)
	if root == nil || end == nil || by == nil {
		return nil, errors.New("read the PDF: it has no end")
	}
	out := bytes.NewBuffer(bytes.TrimRight(pdf, "\n"))
	out.WriteString("\n")
	catalogAt := out.Len()
	fmt.Fprintf(out, "%s 0 obj\n%s\n/PageLabels <</Nums [0 <</P %s>> 1 <</S /D /St 2>>]>>>>\nendobj\n", end[2], root[1], pdfText("Cover"))
	infoAt := out.Len()
	fmt.Fprintf(out, "%s 0 obj\n<<", end[3])
	for _, property := range [][2]string{
		{"Title", strings.TrimSuffix(d.Title+": "+d.Subtitle, ": ")}, {"Author", d.Author}, {"Subject", d.Description},
		{"Keywords", strings.Join([]string{d.Edition, d.Rights, d.UUID}, " ")}, {"Creator", "bookgen"}, {"Producer", string(by[1])},
	} {
		fmt.Fprintf(out, "/%s %s\n", property[0], pdfText(property[1]))
	}
	day := d.Day().Format("D:20060102150405Z")
	fmt.Fprintf(out, "/CreationDate (%s)\n/ModDate (%[1]s)>>\nendobj\n", day)
	table := out.Len()
	fmt.Fprintf(out, "xref\n%s 1\n%010d 00000 n \n%s 1\n%010d 00000 n \n", end[2], catalogAt, end[3], infoAt)
	id := strings.ReplaceAll(d.UUID, "-", "")
	fmt.Fprintf(out, "trailer\n<</Size %s\n/Root %s 0 R\n/Info %s 0 R\n/Prev %s\n/ID [<%s> <%[5]s>]>>\nstartxref\n%d\n%%%%EOF\n", end[1], end[2], end[3], end[4], id, table)
	return out.Bytes(), nil
}

// pdfText returns a text as a PDF has it.
func pdfText(text string) string {
	var content []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		content = append(content, byte(unit>>8), byte(unit))
	}
	return "<FEFF" + strings.ToUpper(hex.EncodeToString(content)) + ">"
}
