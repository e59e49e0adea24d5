// Package gowork starts the go tool, says in a sentence when there is none, and
// leaves a workspace of Go's that doesn't know the book.
//
// A go.work in a folder above, which is usual in a folder of many projects, has the
// go tool refuse to build any module that the file doesn't list.
package gowork

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// Leave turns workspaces off for all that this process starts, if there is one
// above the folder of a module that doesn't list it, and says so in a line that
// begins with the program's name. A GOWORK that the user has set stays.
func Leave(module, program string, says io.Writer) {
	if file := without(module); file != "" {
		fmt.Fprintf(says, "%s: %s does not list this module; Go runs with GOWORK=off\n", program, file)
		os.Setenv("GOWORK", "off") // the name and the value are good ones
	}
}

// without returns the go.work that is in force in the folder of a module and
// doesn't list it; "" if there is none. It looks for it as the go tool does.
func without(module string) string {
	if set := os.Getenv("GOWORK"); set != "" && set != "auto" {
		return ""
	}
	folder, err := filepath.Abs(module)
	if err != nil {
		return ""
	}
	for at := folder; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.work")
		if text, err := os.ReadFile(file); err == nil {
			if lists(file, text, folder) {
				return ""
			}
			return file
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// lists reports whether a go.work lists the module in a folder.
func lists(file string, text []byte, module string) bool {
	work, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return false
	}
	folder, err := os.Stat(module)
	return err == nil && slices.ContainsFunc(work.Use, func(use *modfile.Use) bool {
		path := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		used, err := os.Stat(path)
		return err == nil && os.SameFile(used, folder)
	})
}
