//go:build !unix && !js

package unix

// readNow waits: not all systems let one look.
func readNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	n, err = file.Read(p)
	return n, false, err
}

// writeNow waits, too.
func writeNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	n, err = file.Write(p)
	return n, false, err
}
