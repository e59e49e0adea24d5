package highlight

import (
	"go/scanner"
	"go/token"
)

// class is the letter that a token's markup carries.
type class byte

const (
	plain   class = 0
	keyword class = 'k'
	comment class = 'c'
	literal class = 's' // of strings and characters
	number  class = 'n'
	name    class = 'i'
)

// tok is a token that is marked up, as bytes of its file.
type tok struct {
	start, end int
	class      class
}

// tokens returns the tokens of Go code that are marked up, in order. It also
// takes pieces of code that are no whole file. Package go/scanner finds them,
// because chroma took nine tenths of a build and gives no links.
func tokens(src []byte) []tok {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	var all []tok
	for {
		pos, t, lit := s.Scan()
		if t == token.EOF {
			return all
		}
		c := classOf(t)
		if c == plain {
			continue
		}
		start := file.Offset(pos)
		all = append(all, tok{start, start + len(lit), c})
	}
}

func classOf(t token.Token) class {
	switch {
	case t == token.IDENT:
		return name
	case t.IsKeyword():
		return keyword
	case t == token.COMMENT:
		return comment
	case t == token.STRING || t == token.CHAR:
		return literal
	case t == token.INT || t == token.FLOAT || t == token.IMAG:
		return number
	}
	return plain
}
