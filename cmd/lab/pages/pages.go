// Package pages is the site of the book, in a program that was packed with it.
package pages

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io/fs"
)

// pagesZip is empty, but for a program that `lab workshop pack` has built.
//
//go:embed pages.zip
var pagesZip []byte

// FS returns the site's files, or false if the program has none.
func FS() (fs.FS, bool) {
	files, err := zip.NewReader(bytes.NewReader(pagesZip), int64(len(pagesZip)))
	if err != nil || len(files.File) == 0 {
		return nil, false
	}
	return files, true
}
