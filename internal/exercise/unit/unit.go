package unit

import (
	"bytes"
	"errors"
)

// A Unit is a package that exercises are written in, as a page compiles it anew and
// links its tests. All other packages have been compiled.
type Unit struct {
	Package
	Texts    map[string]string // its files, as they were when others were compiled against them
	Above    []Package         // that import it, each before those that import it in turn
	Go       string            // the version that has compiled the others
	Archives map[string]string // names of compiled packages that the tests link, by their paths
	Main     string            // the tests' main package
}

// A Package is one that a page can compile.
type Package struct {
	Path   string
	Folder string   // from the book's root
	Files  []string // with those of tests within it
	Known  string   // in hex, by what others have known it
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
