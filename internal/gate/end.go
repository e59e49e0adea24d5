package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// elsewhere is what skips say of a test that is run otherwise: by a part of
// .ci/deep, or by other tests, for which it is a fixture.
var elsewhere = regexp.MustCompile("`\\.ci/deep (\\w+)` runs it|it is (a fixture of other tests)")

// end fails if there is a test that no step ran, and names each.
func (g gate) end() error {
	all, err := g.kept()
	if err != nil {
		return err
	}
	deep, err := deeper()
	if err != nil {
		return err
	}
	ran := map[string]bool{}
	said := map[string]string{}
	for _, o := range all {
		test := o.Package + " " + o.Test
		switch where := elsewhere.FindStringSubmatch(o.Said); {
		case o.Result != "skip":
			ran[test] = true
		case where == nil:
			said[test] = o.Said
		case where[1] != "" && !strings.Contains("\n"+deep, "\n"+where[1]+"() {"):
			said[test] = ".ci/deep has no part " + where[1]
		default:
			ran[test] = true
		}
	}
	modules, err := modulesBut(deep)
	if err != nil {
		return err
	}
	unrun := 0
	for _, module := range modules {
		packages, err := packagesOf(module, "./...")
		if err != nil {
			return err
		}
		for _, p := range packages {
			functions, err := p.functions()
			if err != nil {
				return err
			}
			for _, function := range functions {
				if test := p.ImportPath + " " + function.Name.Name; isTest(function) && !ran[test] {
					fmt.Printf("run by no step: %s. %s\n", test, said[test])
					unrun++
				}
			}
		}
	}
	if unrun > 0 {
		return fmt.Errorf("%d tests are run by no step, and no part of .ci/deep is named for them", unrun)
	}
	return nil
}

// deeper returns .ci/deep, and what of it stands in a file of its own.
func deeper() (string, error) {
	deep, err := os.ReadFile(".ci/deep")
	if err != nil {
		return "", err
	}
	judges, err := os.ReadFile(".ci/judges")
	return string(deep) + string(judges), err
}

// modulesBut returns the folders of all modules but those that .ci/deep tests whole.
func modulesBut(deep string) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		folder := filepath.ToSlash(filepath.Dir(path))
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.Name() == "go.mod" && !regexp.MustCompile(`go -C `+folder+` test .*\./\.\.\.`).MatchString(deep):
			folders = append(folders, folder)
		}
		return nil
	})
	return folders, err
}

// unsteady names the tests that passed at a second try only.
func (g gate) unsteady() error {
	all, err := g.kept()
	for _, o := range all {
		if o.Result == unsteady {
			fmt.Printf("unsteady: %s of %s\n", o.Test, o.Package)
		}
	}
	return err
}
