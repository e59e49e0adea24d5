package architecture

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired are words that stood for a thing that has a better name by now. They are
// refused in identifiers, as one of the words of which these consist, and in
// comments, but for those that are English in other senses.
var retired = []struct {
	folder, word, instead string
	inComments            bool
}{
	{"chapters/04-statefulset", "tend", "processReplica", true},
	{"chapters/04-statefulset", "dismiss", "processCondemned", true},
	{"chapters/05-storage", "lookAtClaim", "syncClaim", true},
	{"chapters/05-storage", "lookAtVolume", "syncVolume", true},
	{"chapters/06-daemonset", "edition", "rollout", true},
	{"chapters/06-daemonset", "spot", "nodePods", true},
	{"chapters/06-daemonset", "tally", "counts, topologyCount", true},
	{"chapters/06-daemonset", "tallies", "counts, topologyCounts", true},
	{"chapters/06-daemonset", "twin", "duplicate", true},
	{"chapters/06-daemonset", "twins", "duplicates", true},
	{"chapters/06-daemonset", "ledger", "walk", true},
	{"chapters/06-daemonset", "ledgers", "walk", true},
	{"chapters/06-daemonset", "survey", "walk", true},
	{"chapters/06-daemonset", "onNode", "podsShouldBeOnNode", true},
	{"chapters/06-daemonset", "borne", "tolerated", true},
	{"chapters/06-daemonset/scheduler", "turn", "scheduling cycle", true},
	{"internal/apiserver", "how", "opts, writeOptions", false},
	{"internal/images", "lone", "singleFileFS", true},
}

var (
	aWord      = regexp.MustCompile(`[A-Za-z]+`)
	partOfName = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

// wordsIn returns the words of a folder's Go files, each with a place where it
// stands: identifiers, the words of which these consist in lower case, and the words
// of comments.
func wordsIn(t *testing.T, folder string) (names, comments map[string]string) {
	t.Helper()
	names, comments = map[string]string{}, map[string]string{}
	look := func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		at := token.NewFileSet().AddFile(file, -1, len(text))
		s.Init(at, text, nil, scanner.ScanComments)
		for {
			pos, kind, says := s.Scan()
			switch {
			case kind == token.EOF:
				return nil
			case kind == token.COMMENT:
				for _, word := range aWord.FindAllString(says, -1) {
					comments[word] = at.Position(pos).String()
				}
			case strings.HasPrefix(says, "Test"): // names of tests are sentences
			case kind == token.IDENT && names[says] == "":
				names[says] = at.Position(pos).String()
				for _, part := range partOfName.FindAllString(says, -1) {
					names[strings.ToLower(part)] = names[says]
				}
			}
		}
	}
	require.NoError(t, filepath.WalkDir(filepath.Join("../..", folder), look))
	return names, comments
}

func TestRetiredWordsDoNotComeBack(t *testing.T) {
	type words struct{ names, comments map[string]string }
	read := map[string]words{}
	for _, r := range retired {
		in, ok := read[r.folder]
		if !ok {
			in.names, in.comments = wordsIn(t, r.folder)
			require.NotEmpty(t, in.names, r.folder)
			read[r.folder] = in
		}
		assert.Empty(t, in.names[r.word], "a name says %s: say %s", r.word, r.instead)
		if r.inComments {
			assert.Empty(t, in.comments[r.word], "a comment says %s: say %s", r.word, r.instead)
		}
	}
}

// retiredInProse are the same on pages: a look for a reconcile, and what chapter 6 had for
// the words of Kubernetes' DaemonSet controller. Chapters that name no core yet still
// have them.
var retiredInProse = regexp.MustCompile(`(?i)\b(?:(?:a|one|each|every|first|next|last) looks?|tally|twins?|ledgers?)\b`)

func TestRetiredWordsAreOnNoPage(t *testing.T) {
	rewritten, err := filepath.Glob("../../chapters/*/in-kubernetes.md")
	require.NoError(t, err)
	require.NotEmpty(t, rewritten)
	for _, compared := range rewritten {
		pages, err := filepath.Glob(filepath.Join(filepath.Dir(compared), "*.md"))
		require.NoError(t, err)
		for _, page := range pages {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			assert.Empty(t, retiredInProse.FindAllString(string(text), -1), page)
		}
	}
}

// rowOfWords is a row of docs/words.md: our names, and their folder.
var rowOfWords = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| ([^| ]+) \\| [^|]+ \\| [^|]+ \\|$")

func TestTheTableOfWordsNamesWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../docs/words.md")
	require.NoError(t, err)
	rows := rowOfWords.FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, strings.Count(string(text), "\n| `"), "each row has four cells")
	assert.LessOrEqual(t, len(rows), 60, "it is a page, and not a dictionary")
	read := map[string]map[string]string{}
	for _, row := range rows {
		folder := "chapters/" + row[2]
		if read[folder] == nil {
			read[folder], _ = wordsIn(t, folder)
		}
		for _, name := range aWord.FindAllString(row[1], -1) {
			assert.Contains(t, read[folder], name, "%s has no such name", folder)
		}
	}
}
