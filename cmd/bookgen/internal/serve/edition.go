package serve

import (
	"os"
	"path/filepath"

	"reconcile/cmd/bookgen/internal/build"
)

// edition returns the folder of the pages that are shown, and their name: those
// that were built or, while there are none, those that a clone carries. A build
// puts its folder in place whole.
func edition(o build.Options) (dir, name string) {
	switch {
	case hasPages(o.Public()):
		return o.Public(), "those of the last build"
	case hasPages(o.Site()):
		return o.Site(), "the committed ones"
	}
	return o.Site(), ""
}

func hasPages(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "index.html"))
	return err == nil
}

// noticeOf returns what is said until the first build is done.
func noticeOf(o build.Options) string {
	notice := "The book is being built from its sources"
	if _, name := edition(o); name != "" {
		notice += "; until that is done, its pages are " + name
	}
	return notice + "."
}
