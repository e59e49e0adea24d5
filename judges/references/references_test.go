package references

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("update", false, "write down anew what stands in the lines that hold")

// notHeld are those whose sources go.mod doesn't require, as pages name them, and why.
var notHeld = map[string]string{
	"CoreDNS":       "a program of its own, of which nothing is compiled here",
	"coredns":       "the same, in a link",
	"kubernetes.go": "a file of CoreDNS, as chapter 4's page says",
	"endpointslice": "a library of Kubernetes' that no controller compiled here needs",
}

const heading = `# Lines of Kubernetes %s and its libraries that pages name, each with its file, its
# declaration and its text: go test ./references -update

`

// A record is what stood in the line of a reference when it was written down.
type record struct{ page, printed, file, within, text string }

func (r record) String() string {
	return strings.Join([]string{r.page, r.printed, "k8s.io/" + r.file, r.within, r.text}, "\t") + "\n"
}

// records reads a table, by page and what is printed there.
func records(table string) map[[2]string]record {
	all := map[[2]string]record{}
	for line := range strings.Lines(table) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5); len(f) == 5 {
			all[[2]string{f[0], f[1]}] = record{f[0], f[1], strings.TrimPrefix(f[2], "k8s.io/"), f[3], f[4]}
		}
	}
	return all
}

func TestLinesThatPagesNameAreWhatTheyWere(t *testing.T) {
	const file = "testdata/references.txt"
	table, err := os.ReadFile(file)
	require.NoError(t, err)
	s, known := modules(t), records(string(table))
	now, apart := fmt.Sprintf(heading, s.version("kubernetes")), map[string]bool{}
	for _, p := range pages(t, "../../") {
		assert.Empty(t, p.wrong)
		for _, r := range p.references {
			if notHeld[r.folder] != "" || notHeld[r.file] != "" {
				apart[r.folder], apart[r.file] = true, true
				continue
			}
			line, problem := s.check(p, r, known[[2]string{r.page, r.printed()}], *rewrite)
			assert.Empty(t, problem)
			if r.line > 0 && line.file != "" && !strings.Contains(now, line.String()) {
				now += line.String()
			}
		}
	}
	for project := range notHeld {
		assert.True(t, apart[project], "no page names %s", project)
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
		return
	}
	assert.Equal(t, string(table), now, "go test ./references -update, and read the diff")
}

// check returns what stands in the line of a reference or, with a problem, what is
// known of it. To accept is to take a line for edited that is nowhere any more.
func (s sources) check(p *page, r reference, known record, accept bool) (record, string) {
	file, err := s.find(p, r)
	if err != nil && known.file != "" {
		where, _ := s.moved(known)
		return known, r.wrong("%v; it was %s", err, where)
	} else if err != nil {
		return known, r.wrong("%v", err)
	}
	now := record{r.page, r.printed(), file, "", ""}
	if code := s.read(file); r.line > 0 && r.line <= len(code.lines) {
		now.within, now.text = code.within[r.line-1], code.lines[r.line-1]
	}
	if known.file != "" && (now.within != known.within || now.text != known.text) {
		if where, found := s.moved(known); found || !accept || now.within != known.within {
			return known, r.wrong("was %s", where)
		}
	}
	switch {
	case r.version != "" && r.version != s.version(file):
		return known, r.wrong("is printed with %s, and go.mod requires %s", r.version, s.version(file))
	case r.line > 0 && (now.within == "" || now.text == ""):
		return known, r.wrong("is in no declaration: `%s`", now.text)
	case r.name != "" && !slices.Contains(word.FindAllString(now.text, -1), r.name):
		return known, r.wrong("is `%s`, and not `%s`: %s", now.text, r.name, s.begins(file, r.name))
	}
	return now, ""
}

// moved says where that is now which was in a line, if it's found.
func (s sources) moved(known record) (where string, found bool) {
	lines := s.search(known.file, func(within, text string) bool { return within == known.within && text == known.text })
	if len(lines) > 0 {
		return fmt.Sprintf("`%s`, which is at %s now", known.text, strings.Join(lines, " or ")), true
	}
	return fmt.Sprintf("`%s`, which is nowhere now: %s", known.text, s.begins(known.file, known.within)), false
}

// begins says where a declaration begins, in a file or another of its folder.
func (s sources) begins(file, name string) string {
	lines := s.search(file, func(within, _ string) bool { return within == name || strings.HasSuffix(within, "."+name) })
	if len(lines) == 0 {
		return fmt.Sprintf("no `%s` is in %s", name, path.Dir(file))
	}
	return fmt.Sprintf("`%s` begins at %s", name, lines[0])
}
