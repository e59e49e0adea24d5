package source

import (
	"bytes"
	"unicode/utf8"
)

// PlainText refuses a file that holds bytes that are no UTF-8, or in which
// lines end as on Windows. It is called where bytes are compared or printed: in
// neither would they be seen.
func PlainText(file string, content []byte) error {
	if at := notUTF8(content); at >= 0 {
		return At(file, lineOf(content, at), "the byte %#x on this line is no UTF-8: save the file as UTF-8", content[at])
	}
	at := bytes.IndexByte(content, '\r')
	if at < 0 {
		return nil
	}
	return At(file, lineOf(content, at),
		"this line has a carriage return: the file was saved, or checked out, with "+
			"Windows' line ends; save it with LF, or `git checkout` it again")
}

// notUTF8 returns the index of the first byte that belongs to no character, or
// -1.
func notUTF8(content []byte) int {
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func lineOf(content []byte, at int) int {
	return 1 + bytes.Count(content[:at], []byte("\n"))
}
