package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"reconcile/internal/exercise/workspace"
)

// openToBuild does what open does, for a command that runs the go tool.
func openToBuild(command *cobra.Command) (*workspace.Workspace, error) {
	w, err := open(command)
	if err == nil {
		leaveGoWork(command, w.Root())
	}
	return w, err
}

// leaveGoWork turns Go's workspace mode off for all that this process starts, if
// a go.work above a module doesn't list it: the go tool builds nothing in that
// module then. A GOWORK that the reader has set stays.
func leaveGoWork(command *cobra.Command, module string) {
	if file := goWorkWithout(module); file != "" {
		fmt.Fprintf(command.ErrOrStderr(), "lab: %s does not list this module; Go runs with GOWORK=off\n", file)
		os.Setenv("GOWORK", "off") // the name and the value are good ones
	}
}

// goWorkWithout returns the go.work that is in force in the folder of a module
// and doesn't list it; "" if there is none. It looks for it as the go tool does.
func goWorkWithout(module string) string {
	if set := os.Getenv("GOWORK"); set != "" && set != "auto" {
		return ""
	}
	for at := module; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.work")
		if text, err := os.ReadFile(file); err == nil {
			if lists(file, text, module) {
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
