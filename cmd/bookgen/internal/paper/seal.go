package paper

import (
	"bytes"
	_ "embed" // the form of its properties
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf16"
)

// What Chromium writes at the end of a PDF: its first object, of the whole, and where
// all objects stand.
var (
	catalog  = regexp.MustCompile(`(?s)\d+ 0 obj\n(<</Type /Catalog\n.*?)>>\nendobj`)
	trailer  = regexp.MustCompile(`trailer\n<</Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R>>\nstartxref\n(\d+)\n%%EOF\s*$`)
	producer = regexp.MustCompile(`/Producer \((.*?)\)`)
)

//go:embed properties.xml
var xmpTemplate string

var xmp = template.Must(template.New("properties.xml").Parse(xmpTemplate))

// properties returns those of the PDF, by their names.
func (d *document) properties(producer string) map[string]string {
	return map[string]string{
		"Title": strings.TrimSuffix(d.Title+": "+d.Subtitle, ": "), "Author": d.Author, "Subject": d.Description,
		"Keywords": strings.Join([]string{d.Edition, d.Rights, d.UUID}, " "), "Creator": "bookgen", "Producer": producer,
		"Publisher": d.Publisher, "Rights": d.Rights, "UUID": d.UUID, "Date": d.Day().Format(time.RFC3339),
	}
}

// sealed returns the PDF with its properties, twice, as old readers and as new ones look for
// them (XMP), and with labels that are the numbers on its pages. What Chromium has written
// stays; three objects are added, of which two take the place of its own.
func (d *document) sealed(pdf []byte) ([]byte, error) {
	root, end, by := catalog.FindSubmatch(pdf), trailer.FindSubmatch(pdf), producer.FindSubmatch(pdf)
	if root == nil || end == nil || by == nil {
		return nil, errors.New("read the PDF: it has no end")
	}
	var packet, info, table bytes.Buffer
	of := d.properties(string(by[1]))
	if err := xmp.Execute(&packet, of); err != nil {
		return nil, err
	}
	for _, name := range []string{"Title", "Author", "Subject", "Keywords", "Creator", "Producer"} {
		fmt.Fprintf(&info, "/%s %s\n", name, pdfText(of[name]))
	}
	day := d.Day().Format("D:20060102150405Z")
	fmt.Fprintf(&info, "/CreationDate (%s)\n/ModDate (%[1]s)", day)
	size, _ := strconv.Atoi(string(end[1])) // digits: the number of the next object
	out := bytes.NewBuffer(bytes.TrimRight(pdf, "\n"))
	out.WriteString("\n")
	for _, object := range [][2]string{
		{string(end[2]), fmt.Sprintf("%s\n/Metadata %d 0 R\n/PageLabels <</Nums [0 <</P %s>> 1 <</S /D /St 2>>]>>>>", root[1], size, pdfText("Cover"))},
		{string(end[3]), "<<" + info.String() + ">>"},
		{string(end[1]), fmt.Sprintf("<</Type /Metadata\n/Subtype /XML\n/Length %d>>\nstream\n%s\nendstream", packet.Len(), packet.Bytes())},
	} {
		fmt.Fprintf(&table, "%s 1\n%010d 00000 n \n", object[0], out.Len())
		fmt.Fprintf(out, "%s 0 obj\n%s\nendobj\n", object[0], object[1])
	}
	id, at := strings.ReplaceAll(d.UUID, "-", ""), out.Len()
	fmt.Fprintf(out, "xref\n%strailer\n<</Size %d\n/Root %s 0 R\n/Info %s 0 R\n/Prev %s\n/ID [<%s> <%[6]s>]>>\nstartxref\n%d\n%%%%EOF\n",
		table.Bytes(), size+1, end[2], end[3], end[4], id, at)
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
