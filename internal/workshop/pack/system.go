package pack

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// System is an operating system on a kind of processor, in Go's words.
type System struct{ OS, Arch string }

// String returns the name of its folder: "windows-amd64".
func (s System) String() string { return s.OS + "-" + s.Arch }

// program returns where a folder has a program for the system.
func (s System) program(name string) string {
	if s.OS == "windows" {
		name += ".exe"
	}
	return filepath.Join("bin", s.String(), name)
}

// all lists the systems by the names that people ask for. A Mac may be of either
// kind.
var all = map[string][]System{
	"windows": {{"windows", "amd64"}},
	"darwin":  {{"darwin", "amd64"}, {"darwin", "arm64"}},
	"linux":   {{"linux", "amd64"}, {"linux", "arm64"}},
}

// Systems returns those of a list like "windows,darwin,linux". One kind of
// processor may be named, too: "linux-arm64".
func Systems(names []string) ([]System, error) {
	var found []System
	for _, name := range names {
		those := all[name]
		for _, of := range all {
			for _, s := range of {
				if s.String() == name {
					those = []System{s}
				}
			}
		}
		if those == nil {
			return nil, fmt.Errorf("there is no system %q: there are windows, darwin and linux, and linux-arm64 and the like", name)
		}
		found = append(found, those...)
	}
	slices.SortFunc(found, func(a, b System) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(found), nil
}
