package unit

import (
	"bytes"
	"errors"
)

// A Unit is a package that exercises are written in, as a page compiles it anew and
// links its tests. All other packages have been compiled.
type Unit struct {
	Path     string            // of the package
	Go       string            // the version that has compiled the others
	Files    []string          // of the package, with those of tests within it
	Archives map[string]string // names of compiled packages that the tests link, by their paths
	Main     string            // the tests' main package
	Known    string            // in hex, by what the others have known the package
	Texts    map[string]string // the files as they were then
}

// Folder is where the compiled packages lie in a page, and the units, as JSON: each in
// a folder like that of its package.
const Folder = "/toolchain"

var fingerprint = []byte("\x00go120ld")

// Fingerprint returns what the linker compares in an archive: a digest of all that
// other packages may have been compiled against.
func Fingerprint(archive []byte) ([]byte, error) {
	at := bytes.LastIndex(archive, fingerprint)
	if at < 0 || len(archive) < at+16 {
		return nil, errors.New("no fingerprint in the archive: Go has another format")
	}
	return archive[at+8 : at+16], nil
}

// passFor gives an archive the fingerprint of another.
func passFor(archive, known []byte) ([]byte, error) {
	own, err := Fingerprint(archive)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(archive, bytes.Clone(own), known), nil
}
