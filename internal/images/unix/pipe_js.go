package unix

// pipeEnd is an end of a pipe in a page. There is no operating system that makes
// them; the interpreter's own are in this process, and let one look.
type pipeEnd interface {
	ReadNow(p []byte) (n int, later bool, err error)
	WriteNow(p []byte) (n int, later bool, err error)
}

// readNow reads the bytes that are there, and reports whether there may be more
// later.
func readNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	return file.ReadNow(p)
}

// writeNow writes as many bytes as there is room for, and reports whether there
// may be more later.
func writeNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	return file.WriteNow(p)
}
