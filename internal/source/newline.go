package source

import "bytes"

// OneByteNewlines refuses a file in which lines end as on Windows. It is asked
// where bytes are compared or printed: the carriage return itself would be seen
// in neither.
func OneByteNewlines(file string, content []byte) error {
	at := bytes.IndexByte(content, '\r')
	if at < 0 {
		return nil
	}
	return At(file, 1+bytes.Count(content[:at], []byte("\n")),
		"this line has a carriage return: the file was saved, or checked out, with "+
			"Windows' line ends; save it with LF, or `git checkout` it again")
}
