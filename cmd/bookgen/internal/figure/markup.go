package figure

import (
	"bytes"
	"encoding/xml"
	"io"
)

// An element is one of an SVG file, or the text between two.
type element struct {
	name  string // "": text
	attrs []xml.Attr
	text  string
	kids  []*element
	line  int
}

// parse returns the root of an SVG file. Its errors are those of encoding/xml.
func parse(svg []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	open := []*element{{line: 1}}
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		if err == io.EOF && len(open[0].kids) > 0 {
			return open[0].kids[0], nil
		} else if err != nil {
			return nil, err
		}
		in := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: token.Attr, line: line}
			in.kids = append(in.kids, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 1 {
				in.kids = append(in.kids, &element{text: string(token), line: line})
			}
		}
	}
}

// attr returns an attribute's value, "" if e has none of that name.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// words returns the text directly inside e.
func (e *element) words() (text string) {
	for _, kid := range e.kids {
		text += kid.text
	}
	return text
}
