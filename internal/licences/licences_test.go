package licences_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"reconcile/internal/licences"
	"reconcile/internal/slow"
)

const root = "../.."

// versions returns the parts' versions and licences, by their names.
func versions(parts []licences.Part) map[string][2]string {
	all := map[string][2]string{}
	for _, p := range parts {
		all[p.Name] = [2]string{p.Version, p.SPDX}
	}
	return all
}

// A dependency without a licence, or with one that nobody has looked at, is not
// compiled into what readers get.
func TestAllThatIsCompiledInRealProgramsHasALicenceThatIsKnown(t *testing.T) {
	t.Run("for this system", func(t *testing.T) {
		all := compiled(t)
		assert.Contains(t, all, "Go")
		assert.Contains(t, all, "k8s.io/kubectl", "of the cluster")
		assert.Contains(t, all, "github.com/yuin/goldmark", "of bookgen")
		assert.Contains(t, all, "github.com/chromedp/chromedp", "of bookgen, which prints")
		assert.NotContains(t, all, "reconcile", "that is the book")
		assert.NotContains(t, all, "github.com/stretchr/testify", "what only tests import is not handed on as a program")
	})
	t.Run("for others", func(t *testing.T) {
		slow.Test(t, "other systems' modules may have to be fetched")
		all := compiled(t, "linux/amd64", "windows/amd64", "darwin/arm64")
		assert.Contains(t, all, "github.com/google/nftables", "on Linux")
		assert.Contains(t, all, "github.com/inconshreveable/mousetrap", "on Windows")
	})
}

// compiled returns the parts of the book's programs for some systems, after it
// has asserted that the licence of each is known.
func compiled(t *testing.T, systems ...string) map[string][2]string {
	t.Helper()
	programs := licences.Programs{Root: root, Packages: []string{"cmd/lab", "cmd/lab/cluster", "cmd/bookgen"}, Systems: systems}
	parts, err := programs.WithTree(t.Context())
	require.NoError(t, err)
	for _, p := range parts {
		if p.Name == "Go" && len(p.Texts) == 0 {
			continue // Debian's has its licence elsewhere
		}
		assert.NotContains(t, p.SPDX, licences.Unknown, "the licence of %s %s: which is it, and may we hand that on?", p.Name, p.Version)
	}
	return versions(parts)
}

func TestWhatOthersWroteInTheTreeIsOnTheList(t *testing.T) {
	parts, err := licences.InTree(root)
	require.NoError(t, err)
	assert.Equal(t, map[string][2]string{
		"cmd/bookgen/internal/browser/testdata/axe":     {"", "MPL-2.0"},
		"cmd/bookgen/internal/codemirror":               {"", "MIT"},
		"cmd/bookgen/internal/site/fonts/ibm-plex-mono": {"", "OFL-1.1"},
		"cmd/bookgen/internal/site/fonts/newsreader":    {"", "OFL-1.1"},
	}, versions(parts))
}

// aProgram is a module that imports a package of another, with more folders below
// that.
const aProgram = `
-- go.mod --
module ours

go 1.26

require theirs v1.2.3

replace theirs => ./theirs
-- main.go --
package main

import _ "theirs/taken/over"

func main() {}
-- theirs/go.mod --
module theirs

go 1.26
-- theirs/taken/over/over.go --
package over
-- theirs/other/LICENSE --
of a package that is not compiled
`

// partsOf returns the parts of aProgram with more files in it.
func partsOf(t *testing.T, files map[string]string) []licences.Part {
	t.Helper()
	folder := t.TempDir()
	for _, file := range txtar.Parse([]byte(aProgram)).Files {
		files[file.Name] = string(file.Data)
	}
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	parts, err := licences.Programs{Root: folder, Packages: []string{"."}}.Parts(t.Context())
	require.NoError(t, err)
	return parts
}

// text returns a licence that lies in the book's tree.
func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(content)
}

func TestRealPartsWithoutALicenceSaySo(t *testing.T) {
	mozilla := text(t, "cmd/bookgen/internal/browser/testdata/axe/LICENSE")
	for name, c := range map[string]struct {
		files map[string]string
		spdx  string
	}{
		"none":                     {map[string]string{}, "NOASSERTION"},
		"one that we do not know":  {map[string]string{"theirs/COPYING": "Do what is right."}, "NOASSERTION"},
		"a notice is none":         {map[string]string{"theirs/NOTICE": mozilla}, "NOASSERTION"},
		"for documentation alone":  {map[string]string{"theirs/LICENSE.docs": mozilla}, "NOASSERTION"},
		"the module's":             {map[string]string{"theirs/License.md": mozilla}, "MPL-2.0"},
		"of what was taken over":   {map[string]string{"theirs/LICENSE": mozilla, "theirs/taken/LICENSE": text(t, "LICENSE")}, "Apache-2.0 AND MPL-2.0"},
		"none at its root":         {map[string]string{"theirs/taken/LICENSE": mozilla}, "MPL-2.0 AND NOASSERTION"},
		"taken over, and unknown":  {map[string]string{"theirs/LICENSE": mozilla, "theirs/taken/LICENSE": "Mine."}, "MPL-2.0 AND NOASSERTION"},
		"with a list of more then": {map[string]string{"theirs/LICENSE": mozilla, "theirs/LICENSE-more": "And so on."}, "MPL-2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			all := versions(partsOf(t, c.files))
			assert.Equal(t, [2]string{"v1.2.3, changed", c.spdx}, all["theirs"])
			assert.Len(t, all, 2, "that, and Go")
		})
	}
}

func TestARealPartHasEachTextOnce(t *testing.T) {
	mozilla := text(t, "cmd/bookgen/internal/browser/testdata/axe/LICENSE")
	parts := partsOf(t, map[string]string{"theirs/LICENSE": mozilla, "theirs/taken/LICENSE": mozilla, "theirs/taken/over/NOTICE": "Ada wrote it."})
	assert.Equal(t, []string{strings.TrimSpace(mozilla), "Ada wrote it."}, parts[1].Texts)
}

func TestNoticesHaveEachTextOnceAndTheTableFirst(t *testing.T) {
	parts := []licences.Part{
		{Name: "a", Version: "v1", SPDX: "MIT", Texts: []string{"as is"}},
		{Name: "folder/b", SPDX: "MIT AND ISC", Texts: []string{"as is", "no more"}},
	}
	notices := licences.Notices(parts)
	assert.Equal(t, "a         v1  MIT\nfolder/b      MIT AND ISC\n", licences.Table(parts))
	assert.Equal(t, licences.Table(parts), licences.TableOf(notices))
	assert.Equal(t, 1, strings.Count(notices, "as is"))
	assert.Contains(t, notices, "\na v1\nfolder/b\n\nas is\n")
	assert.Contains(t, notices, "\nfolder/b\n\nno more\n")
}

// The lines to copy name the book as its pages do, and no address: only pages know that.
func TestTheLinesToCopyNameTheBook(t *testing.T) {
	book := regexp.MustCompile(`title: (.*)\nsubtitle: (.*)\n`).FindStringSubmatch(text(t, "chapters/book.md"))
	require.NotNil(t, book)
	_, said, _ := strings.Cut(text(t, "LICENSE-TEXT"), "where you have it from:\n\n")
	assert.Equal(t, `    "`+book[1]+": "+book[2]+`"
    by the authors of `+book[1]+`
    licensed under CC BY 4.0, https://creativecommons.org/licenses/by/4.0/
    Changes: none
`, said)
}
