package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// command is what package slow's skips say of a test that they leave out.
var command = regexp.MustCompile(`To run it: go test (\S+) -run '([^']+)'`)

// leftOut runs the tests whose skips name the command that runs them: those, and
// no others of their packages.
func (g gate) leftOut(base []string) error {
	all, err := g.kept()
	if err != nil {
		return err
	}
	patterns, packages := map[string]bool{}, map[string]bool{}
	for _, o := range all {
		if names := command.FindStringSubmatch(o.Said); o.Result == "skip" && names != nil {
			packages[names[1]], patterns[names[2]] = true, true
		}
	}
	if g.plan {
		fmt.Println("$", strings.Join(base, " "), "-run=… … # what was skipped so far: each skip names its command")
		return nil
	}
	if len(packages) == 0 {
		return errors.New("no step before has left out anything")
	}
	return g.step(base, append([]string{"-run=" + strings.Join(sorted(patterns), "|")}, sorted(packages)...)...)
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
