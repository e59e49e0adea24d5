package references

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A reference is a line of somebody's source that a page names. One without a line
// is a link to a file or a folder.
type reference struct {
	page    string // chapters/05-storage/in-kubernetes.md
	row     int    // of the page
	file    string // binder.go, or with the folders that are printed before it
	line    int
	folder  string // pkg/volume/csi, from the brackets after it
	version string // v0.37.2, if that is printed with it
	name    string // bind, if that is printed beside it
}

func (r reference) printed() string {
	return strings.TrimSuffix(fmt.Sprintf("%s:%d", r.file, r.line), ":0")
}

func (r reference) wrong(format string, values ...any) string {
	return fmt.Sprintf("%s:%d: `%s` ", r.page, r.row, r.printed()) + fmt.Sprintf(format, values...)
}

// A page is what is read of one: its references, and the folders in which those
// files are of which it names none.
type page struct {
	references []reference
	rows       map[int][]string // folders in brackets, by row
	defaults   []string         // where it "names no folder"
	folders    []string         // all that it names
	wrong      []string         // what looks like a reference and isn't one
}

var (
	inBrackets = "(?: \\(([^()]*)\\))?"
	quoted     = regexp.MustCompile("`([^`]+)`")
	printed    = regexp.MustCompile("`([\\w./-]+\\.go)?:(\\d+)`" + inBrackets + "(?:, (?:where )?`([A-Za-z]\\w*)`)?" + inBrackets)
	linked     = regexp.MustCompile(`\[[^\]]*\]\(https://github\.com/(?:kubernetes|coredns)/([\w-]+)/(?:blob|tree)/(v[^/)]+)/?([^)#]*)(?:#L(\d+))?\)`)
	lineOfFile = regexp.MustCompile(`\.go:\d+`)
	release    = regexp.MustCompile(`v\d+\.\d+\.\d+`)
	noFolder   = regexp.MustCompile("where it names no folder, (?:that's|the folder is) `([^`]+)`(?:, or `([^`]+)` below it)?")
)

// pages reads all pages below a folder.
func pages(t *testing.T, root string) (all []*page) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		} else if d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		} else if d.IsDir() || path.Ext(d.Name()) != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		all = append(all, read(filepath.ToSlash(strings.TrimPrefix(file, root)), string(text)))
		return err
	}))
	return all
}

// read reads a page, but for the code that it shows.
func read(name, text string) *page {
	p, code := &page{rows: map[int][]string{}}, false
	for i, row := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(row), "```") {
			code = !code
		}
		if code {
			continue
		}
		for _, m := range noFolder.FindAllStringSubmatch(row, -1) {
			p.defaults = append(p.defaults, m[1], path.Join(m[1], m[2]))
		}
		at := reference{page: name, row: i + 1}
		for _, m := range linked.FindAllStringSubmatch(row, -1) {
			r := at
			r.folder, r.version, r.file = m[1], m[2], m[3]
			r.line, _ = strconv.Atoi(m[4])
			p.references, p.folders = append(p.references, r), append(p.folders, path.Join(r.folder, r.file))
		}
		p.printed(at, linked.ReplaceAllString(row, ""))
	}
	return p
}

// printed reads what a row has besides links. A line without a file is another one
// of the last file; where there is none, it's the port of an address, say.
func (p *page) printed(at reference, row string) {
	files, file := 0, ""
	for _, m := range printed.FindAllStringSubmatch(row, -1) {
		files += min(len(m[1]), 1)
		if file = cmp.Or(m[1], file); file == "" {
			continue
		}
		r := at
		r.file, r.name = file, m[4]
		r.line, _ = strconv.Atoi(m[2])
		for _, m := range quoted.FindAllStringSubmatch(m[3]+m[5], -1) {
			r.folder = path.Join(r.folder, m[1])
		}
		if _, project := notHeld[m[3]+m[5]]; project {
			r.folder = m[3] + m[5]
		}
		r.version = release.FindString(m[3] + m[5])
		p.rows[at.row] = append(p.rows[at.row], r.folder)
		p.references, p.folders = append(p.references, r), append(p.folders, path.Join(r.folder, path.Dir(file)))
	}
	if files != len(lineOfFile.FindAllString(row, -1)) {
		p.wrong = append(p.wrong, fmt.Sprintf("%s:%d: a line of a file isn't printed as a reference: `x.go:12`", at.page, at.row))
	}
}

// levels returns where the file of a reference may be: first come the folders that
// are named closest to it.
func (p *page) levels(r reference) [][]string {
	if r.folder != "" || strings.Contains(r.file, "/") {
		return [][]string{{r.folder}}
	}
	return [][]string{p.rows[r.row], p.defaults, p.folders}
}
