package build_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
)

// A saying is an entry of the index of sentences: its names, with an ellipsis for what
// a reader's cluster has in its place, and its text.
type saying struct {
	names []string
	text  string
}

var sayingHead = regexp.MustCompile(`^(.+?)(?: \{search="(.*)"\})?$`)

func sayings(t *testing.T) (all []saying) {
	t.Helper()
	content, err := os.ReadFile(chapters + "what-kubernetes-says.md")
	require.NoError(t, err)
	for _, entry := range strings.Split(string(content), "\n### ")[1:] {
		head, text, _ := strings.Cut(entry, "\n")
		found := sayingHead.FindStringSubmatch(head)
		names := append(strings.Split(found[2], ", "), found[1])
		text, _, _ = strings.Cut(text, "\n## ")
		all = append(all, saying{slices.DeleteFunc(names, func(name string) bool { return name == "" }), text})
	}
	return all
}

var ellipsis = regexp.MustCompile(`\s*(?:…|\\\.\\\.\\\.)\s*`)

// form is what a name of a saying looks like in a recording.
func form(name string) string {
	return ellipsis.ReplaceAllString(regexp.QuoteMeta(name), ".*")
}

// covers reports whether an entry says what a recording prints: all of it, or three words of it.
func (s saying) covers(printed string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool {
		pattern := "^" + form(name) + "$"
		if len(strings.Fields(strings.ReplaceAll(name, "…", " "))) > 2 {
			pattern = form(name)
		}
		return regexp.MustCompile(pattern).MatchString(printed)
	})
}

func TestEachSentenceOfARecordingIsInTheIndex(t *testing.T) {
	index, all := sayings(t), said(t)
	t.Logf("%d entries for %d sentences", len(index), len(all))
	assert.Greater(t, len(all), 150)
	for printed, file := range all {
		assert.True(t, slices.ContainsFunc(index, func(s saying) bool { return s.covers(printed) }),
			"chapters/%s: no entry of what-kubernetes-says.md says what it means: %s", file, printed)
	}
}

var toRun = regexp.MustCompile(`(?::\s+|\), )\[[^\]]*\]\(([^)]*)\)`)

// TestAnEntryOfTheIndexNamesARunInWhichItWasSaid reads each run that an entry names.
func TestAnEntryOfTheIndexNamesARunInWhichItWasSaid(t *testing.T) {
	runs := 0
	for _, s := range sayings(t) {
		_, named, _ := strings.Cut(s.text, "Run:")
		for _, link := range toRun.FindAllStringSubmatch("Run:"+named, -1) {
			printed := runOf(t, link[1])
			assert.True(t, slices.ContainsFunc(s.names, func(name string) bool {
				return regexp.MustCompile(form(name)).MatchString(printed)
			}), "%s isn't said in %s", s.names, link[1])
			runs++
		}
	}
	assert.Greater(t, runs, 80)
}

// runOf returns what a run prints: a state, by its anchor on a page, or a part of a recording.
func runOf(t *testing.T, link string) string {
	t.Helper()
	file, anchor, _ := strings.Cut(link, "#")
	begins := func(head string) bool { return head == anchor }
	mark := "\n# part: "
	if strings.HasSuffix(file, ".md") {
		file, mark = "states.txt", "\n=== "
		begins = func(head string) bool {
			title, _, _ := strings.Cut(head, ": ")
			return book.Slug(title) == anchor
		}
	}
	content, err := os.ReadFile(chapters + file)
	require.NoError(t, err)
	for _, part := range strings.Split("\n"+string(content), mark)[1:] {
		if head, printed, _ := strings.Cut(part, "\n"); begins(head) {
			return printed
		}
	}
	require.Fail(t, "no such run", link)
	return ""
}

// said collects what Kubernetes says in the recordings of the book, with a file in which
// it does: the reasons and messages of Events and conditions, why containers wait and
// have ended, refusals and warnings.
func said(t *testing.T) map[string]string {
	t.Helper()
	files := []string{chapters + "states.txt"}
	for _, pattern := range []string{"*/testdata/*.scene", "*/testdata/*.txt"} {
		found, err := filepath.Glob(chapters + pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	all := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, sentence := range saidIn(string(content)) {
			all[sentence] = strings.TrimPrefix(file, chapters)
		}
	}
	return all
}

var (
	gap       = regexp.MustCompile(`\s{2,}`)
	headline  = regexp.MustCompile(`\b(?:REASON|Reason|MESSAGE|Message|RESTARTS)\b`)
	refusal   = regexp.MustCompile(`^(?:Error from server.*|[Ee]rror: .*|The .* is invalid: .*|Waiting for .*|Warning: .*)`)
	labelled  = regexp.MustCompile(`^\s*"?(?:reason|Reason|message|Message)"?:\s+"?([^"]+?)"?,?$`)
	condition = regexp.MustCompile(`\b[A-Z]\w+=(?:True|False|Unknown) (\w+): (.*)`)
	reason    = regexp.MustCompile(`^[A-Z][a-z]+(?:[A-Z][a-z]*)*(?::\w+)*$`)
	filters   = regexp.MustCompile(`(?:available: |, )\d+ ([^,.]+)`)
)

// saidIn reads tables, of which it knows the heads, and lines by how they begin.
func saidIn(text string) (all []string) {
	add := func(words string) {
		if reason.MatchString(words) || strings.Contains(words, " ") && !strings.HasPrefix(words, "<") {
			all = append(all, words)
		}
		for _, each := range filters.FindAllStringSubmatch(words, -1) {
			all = append(all, each[1])
		}
	}
	var head []string
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\n"), "| ")
		cells := gap.Split(strings.TrimSpace(line), max(len(head), 1))
		switch found := condition.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "$ "), line == "":
			head = nil
		case headline.MatchString(line) && gap.MatchString(strings.TrimSpace(line)) && !labelled.MatchString(line):
			head = gap.Split(strings.TrimSpace(line), -1)
		case refusal.MatchString(line):
			add(line)
		case found != nil:
			add(found[1])
			add(found[2])
		case labelled.MatchString(line):
			add(labelled.FindStringSubmatch(line)[1])
		case head != nil:
			for i, cell := range cells {
				if isSaid(head, head[i], cell) {
					add(cell)
				}
			}
		}
	}
	return all
}

// phases are the values of STATUS that are no reasons.
var phases = []string{"Pending", "Running", "Succeeded", "Failed", "Terminating"}

// isSaid reports whether a cell of a table is a reason or a message.
func isSaid(head []string, column, cell string) bool {
	switch column {
	case "REASON", "Reason", "MESSAGE", "Message":
		return true
	case "STATUS":
		return slices.Contains(head, "RESTARTS") && !slices.Contains(phases, cell)
	}
	return false
}
