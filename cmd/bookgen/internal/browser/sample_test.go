package browser

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample returns some of the given pages: as few as have every class of element that
// any of them has, so that a rule of the style sheet has a page that it is for, and
// those that a change has changed. Of the sample book these are few: the book itself
// has nearly all that it has. With -whole it returns all of them.
func (p place) sample(t *testing.T, pages []string) []string {
	t.Helper()
	if *whole {
		return pages
	}
	among := func(classes []string, class string) bool {
		_, is := slices.BinarySearch(classes, class)
		return is
	}
	missing := slices.DeleteFunc(p.classesOf(t, pages), func(class string) bool { return among(p.elsewhere, class) })
	gain := func(page string) (n int) {
		for _, class := range p.classes(t, page) {
			if among(missing, class) {
				n++
			}
		}
		return n
	}
	chosen, bySize := p.changed(t, pages), p.bySize(t)
	for len(missing) > 0 {
		best := slices.MaxFunc(pages, func(a, b string) int {
			return cmp.Or(cmp.Compare(gain(a), gain(b)), bySize(a, b))
		})
		missing = slices.DeleteFunc(missing, func(class string) bool { return among(p.classes(t, best), class) })
		chosen = append(chosen, best)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

// kind returns the kind of a page: its template.
func (p place) kind(t *testing.T, page string) string {
	t.Helper()
	for _, class := range p.classes(t, page) {
		if kind, ok := strings.CutPrefix(class, body); ok {
			return kind
		}
	}
	return ""
}

// body begins, in a list of classes, that of the body.
const body = "body "

// known holds the classes of pages, by file.
var known sync.Map

// classes returns the classes of a page's elements, each once. That of the body says
// of what kind the page is. What a figure is drawn with is left out: most figures stand
// on one page of the book, and package figure tests them.
func (p place) classes(t *testing.T, page string) []string {
	t.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(page))
	if classes, ok := known.Load(file); ok {
		return classes.([]string)
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var classes []string
	before := ""
	for i, piece := range strings.Split(string(content), " class=") {
		if i > 0 {
			classes = append(classes, ofAttribute(piece, strings.HasSuffix(before, "<body"))...)
		}
		before = piece
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	known.Store(file, classes)
	return classes
}

// classesOf returns the classes of the elements of some pages, each once.
func (p place) classesOf(t *testing.T, pages []string) (classes []string) {
	t.Helper()
	for _, page := range pages {
		classes = append(classes, p.classes(t, page)...)
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

// ofAttribute returns the classes of an attribute, with or without quotes, that text
// begins with.
func ofAttribute(text string, ofBody bool) (classes []string) {
	value, _, _ := strings.Cut(text, ">")
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(quoted, `"`)
	} else {
		value, _, _ = strings.Cut(value, " ")
	}
	for class := range strings.FieldsSeq(value) {
		switch {
		case ofBody:
			classes = append(classes, body+class)
		case !strings.HasPrefix(class, "fig-") && !strings.HasPrefix(class, "f-"):
			classes = append(classes, class)
		}
	}
	return classes
}

// mostChanged is how many changed pages are looked at. If there are more, a template
// has changed, and the sample has all of them.
const mostChanged = 8

// changed returns those of the book's pages that a change has changed; of many, some
// from each chapter.
func (p place) changed(t *testing.T, pages []string) []string {
	t.Helper()
	if !p.book {
		return nil
	}
	names, err := changedFiles()
	if err != nil {
		t.Logf("only the sample is looked at: what has changed is not known: %v", err)
		return nil
	}
	changed := slices.DeleteFunc(slices.Clone(pages), func(page string) bool { return !slices.Contains(names, page) })
	slices.Sort(changed)
	if all := len(changed); all > mostChanged {
		t.Logf("%d of %d changed pages are looked at; .ci/deep pages looks at all", mostChanged, all)
		for i := range mostChanged {
			changed[i] = changed[i*all/mostChanged]
		}
		changed = changed[:mostChanged]
	}
	return changed
}

var changedFiles = sync.OnceValues(func() ([]string, error) { return changedIn(filepath.FromSlash(book)) })

// changedIn returns the files of a folder that are not as they are on the main branch,
// from which this change comes, or, on that branch itself, as they were before its
// last commit. It fails where git has neither: in a shallow clone, or in none.
func changedIn(folder string) ([]string, error) {
	base, err := git(folder, "merge-base", "HEAD", "origin/main")
	if err != nil {
		return nil, err
	}
	if head, err := git(folder, "rev-parse", "HEAD"); err != nil || slices.Equal(head, base) {
		base = []string{"HEAD~1"}
	}
	differ, err := git(folder, "diff", "--name-only", "--relative", base[0], "--", ".")
	if err != nil {
		return nil, err
	}
	added, err := git(folder, "ls-files", "--others", "--exclude-standard")
	return append(differ, added...), err
}

// git returns the words of git's answer: no page has a blank in its name.
func git(folder string, arguments ...string) ([]string, error) {
	command := exec.Command("git", arguments...)
	command.Dir = folder
	answer, err := command.Output()
	return strings.Fields(string(answer)), err
}

func TestASampleHasEveryClassThatPagesHave(t *testing.T) {
	t.Parallel()
	dir, err := renderSample()
	require.NoError(t, err)
	p := place{dir: dir}
	all := p.read(t)
	assert.Subset(t, p.classesOf(t, all), []string{"note", "output", "body home", "body chapter"})
	assert.Equal(t, p.classesOf(t, all), p.classesOf(t, p.sample(t, all)))
	assert.True(t, *whole || len(p.sample(t, all)) < len(all), "it is smaller")
}

func TestPagesAreChangedSinceTheMainBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git in PATH: without it only a sample is looked at")
	}
	dir := t.TempDir()
	do := func(arguments ...string) {
		t.Helper()
		_, err := git(dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, arguments...)...)
		require.NoError(t, err, "git %s", arguments)
	}
	commit := func(files ...string) {
		t.Helper()
		for _, name := range files {
			require.NoError(t, write(dir, map[string][]byte{name: []byte(strings.Join(files, " "))}))
		}
		do("add", ".")
		do("commit", "-q", "-m", "a change")
	}
	site := filepath.Join(dir, "site")
	is := func(says string, want ...string) {
		t.Helper()
		changed, err := changedIn(site)
		require.NoError(t, err)
		slices.Sort(changed)
		assert.Equal(t, want, changed, says)
	}
	do("init", "-q")
	commit("site/old.html")
	do("update-ref", "refs/remotes/origin/main", "HEAD")
	_, err := changedIn(site)
	assert.Error(t, err, "a clone of one commit does not know")
	commit("site/a.html", "elsewhere.html")
	commit("site/b/c.html")
	is("all commits of a branch", "a.html", "b/c.html")
	do("update-ref", "refs/remotes/origin/main", "HEAD")
	is("the last commit of the main branch", "b/c.html")
	require.NoError(t, write(site, map[string][]byte{"old.html": []byte("changed"), "new.html": nil}))
	is("what nobody has committed yet", "b/c.html", "new.html", "old.html")
}
