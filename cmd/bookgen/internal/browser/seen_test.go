package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/digest"
)

// seen records the book's pages as axe last saw all of them: a digest of each
// that is read, and one of the styles and scripts that all have. A change of the
// templates changes the pages. Listings are looked at by sample and not recorded.
const (
	seen      = "testdata/seen.sum"
	dress     = "styles and scripts"
	howToSee  = "go test ./cmd/bookgen/internal/browser -run WCAG22 -whole -update -timeout 30m"
	seenTitle = "# Pages as axe saw them at all widths, on both papers:\n# " + howToSee + "\n"
)

// changed returns the pages that are read and have changed since axe saw all of
// them; if the styles or the scripts have changed, it returns every page that
// is read.
func (p place) changed(t *testing.T) []string {
	t.Helper()
	was, is := recorded(t), p.digests(t)
	var changed, unknown []string
	for _, page := range slices.Sorted(maps.Keys(is)) {
		if was[page] == "" {
			unknown = append(unknown, page)
		}
		if page != dress && (was[page] != is[page] || was[dress] != is[dress]) {
			changed = append(changed, page)
		}
	}
	if len(unknown) > 0 {
		t.Errorf("%s has nothing of %s: let axe see all pages, and record them, by\n\t%s", seen, strings.Join(unknown, ", "), howToSee)
	}
	return changed
}

// record writes down the digests of the pages.
func (p place) record(t *testing.T) {
	t.Helper()
	is := p.digests(t)
	out := seenTitle
	for _, page := range slices.Sorted(maps.Keys(is)) {
		out += is[page] + "  " + page + "\n"
	}
	require.NoError(t, os.WriteFile(seen, []byte(out), 0o644))
}

// recorded returns the digests that are written down, by page.
func recorded(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(seen)
	require.NoError(t, err, "record what axe sees by\n\t%s", howToSee)
	was := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if sum, page, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			was[page] = sum
		}
	}
	return was
}

// digests returns the digest of each page that is read, and of styles and
// scripts.
func (p place) digests(t *testing.T) map[string]string {
	t.Helper()
	is := map[string]string{}
	for _, page := range slices.Concat(p.read(t)...) {
		is[page] = p.digest(t, page)
	}
	dressed := append(p.glob(t, "assets/*.css"), p.glob(t, "assets/*.js")...)
	is[dress] = p.digest(t, slices.DeleteFunc(dressed, func(name string) bool {
		return name == "assets/search-data.js" // words of the pages
	})...)
	return is
}

// digest returns the digest of some files of the site, shortened.
func (p place) digest(t *testing.T, names ...string) string {
	t.Helper()
	hash := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		digest.Add(hash, name, data)
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}
