// Package licences lists what others wrote of a program, and under which licences
// they gave it away: Go's modules, Go's own library, and what lies in the book's
// tree with a licence beside it. Nothing of the list is typed.
//
//	licences.go  a part, and its licence
//	programs.go  the parts of Go programs
//	tree.go      those that lie in a folder
//	notices.go   the list, and the texts
package licences

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/licensecheck"
)

// Part is something that others wrote.
type Part struct {
	Name    string   // a module's path, "Go", or a folder of the book
	Version string   // empty for what lies in the book
	SPDX    string   // "Apache-2.0 AND MIT", or Unknown
	Texts   []string // each once
}

// Unknown is SPDX's word for a licence that could not be told, or is not there.
const Unknown = "NOASSERTION"

// named matches the files that say what one may do with a part, and who wrote it;
// isLicence those of them that are licences. LICENSE.docs is left out: it is of a
// module's documentation alone, which is not compiled.
var (
	named     = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)\b`)
	isLicence = regexp.MustCompile(`(?i)licen[cs]e|copying`)
	isNone    = regexp.MustCompile(`(?i)\.(go|docs)$`)
)

// source is where a part's texts lie.
type source struct {
	name, version string
	root          string // the folder that has to hold a licence; others may
	files         map[string]bool
}

// add adds the files of a folder that are named like licences.
func (s *source) add(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Type().IsRegular() && named.MatchString(entry.Name()) && !isNone.MatchString(entry.Name()) {
			s.files[filepath.Join(folder, entry.Name())] = true
		}
	}
	return err
}

// part reads the files. Of those in one folder, and of those at the root, one at
// least has to be a licence that is known.
func (s *source) part() (Part, error) {
	p := Part{Name: s.name, Version: s.version}
	known := map[string]bool{}
	inFolder := map[string][]string{s.root: nil}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		text, err := os.ReadFile(file)
		if err != nil {
			return Part{}, err
		}
		if trimmed := strings.TrimSpace(string(text)); !slices.Contains(p.Texts, trimmed) {
			p.Texts = append(p.Texts, trimmed)
		}
		if isLicence.MatchString(filepath.Base(file)) {
			folder := filepath.Dir(file)
			inFolder[folder] = append(inFolder[folder], spdx(text)...)
		}
	}
	for _, ids := range inFolder {
		if ids == nil {
			ids = []string{Unknown}
		}
		for _, id := range ids {
			known[id] = true
		}
	}
	p.SPDX = strings.Join(slices.Sorted(maps.Keys(known)), " AND ")
	return p, nil
}

// welcome are the licences that a part may have. All others are Unknown: to tell
// them apart, too, takes two seconds more.
var welcome = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "OFL-1.1", "OpenSSL"}

// scanner knows them as pkg.go.dev does.
var scanner = sync.OnceValue(func() *licensecheck.Scanner {
	known := slices.DeleteFunc(licensecheck.BuiltinLicenses(), func(l licensecheck.License) bool {
		return !slices.Contains(welcome, l.ID)
	})
	s, err := licensecheck.NewScanner(known)
	if err != nil {
		panic(err) // its own texts
	}
	return s
})

// spdx returns the identifiers of the licences in a text. As on pkg.go.dev, three
// quarters of the text have to be licences. (go-licenses would do this too, but
// brings ten modules.)
func spdx(text []byte) (ids []string) {
	const enough = 75
	found := scanner().Scan(text)
	for _, match := range found.Match {
		if found.Percent >= enough && !match.IsURL {
			ids = append(ids, match.ID)
		}
	}
	return ids
}

// parts reads sources, and returns them by their names.
func parts(sources map[string]*source) ([]Part, error) {
	var all []Part
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		part, err := sources[name].part()
		if err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}
