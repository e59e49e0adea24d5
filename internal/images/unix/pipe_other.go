//go:build !unix

package unix

import "os"

// readNow waits: not all systems let one look.
func readNow(file *os.File, p []byte) (n int, later bool, err error) {
	n, err = file.Read(p)
	return n, false, err
}

// writeNow waits, too.
func writeNow(file *os.File, p []byte) (n int, later bool, err error) {
	n, err = file.Write(p)
	return n, false, err
}
