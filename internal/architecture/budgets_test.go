package architecture

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"reconcile/internal/slow"
)

// budgetList says how many lines each room may have.
const budgetList = "testdata/budgets.txt"

// lines counts code, tests and JavaScript.
type lines [3]int

var kinds = [3]string{"code", "tests", "JavaScript"}

// A budget is a line of the list.
type budget struct {
	room       string // internal/scene+script: two folders
	most, used lines
}

// english writes numbers as 12,345.
var english = message.NewPrinter(language.English)

func budgets(t *testing.T, text string) (all []*budget) {
	t.Helper()
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		require.Len(t, fields, 1+len(kinds), line)
		b := &budget{room: fields[0]}
		for i, field := range fields[1:] {
			most, err := strconv.Atoi(field)
			require.NoError(t, err, line)
			b.most[i] = most
		}
		all = append(all, b)
	}
	return all
}

// holds returns how much of a file's path is a folder of the room, 0 for none.
func (b *budget) holds(file string) (most int) {
	above, folders := "", b.room
	if slash := strings.LastIndex(b.room, "/"); slash >= 0 {
		above, folders = b.room[:slash+1], b.room[slash+1:]
	}
	for folder := range strings.SplitSeq(folders, "+") {
		if path := above + folder + "/"; strings.HasPrefix(file, path) {
			most = max(most, len(path))
		}
	}
	return most
}

// over says where a room has more than its budget.
func (b *budget) over() (wrong []string) {
	for i, used := range b.used {
		if most := b.most[i]; used > most {
			wrong = append(wrong, english.Sprintf("%s has %d lines of %s, its budget is %d: what goes for it?",
				b.room, used, kinds[i], most))
		}
	}
	return wrong
}

// kindOf returns what the lines of a file are, as an index of kinds; -1: not counted.
func kindOf(file string) int {
	switch {
	case strings.HasSuffix(file, "_test.go"):
		return 1
	case strings.HasSuffix(file, ".go"):
		return 0
	case strings.HasSuffix(file, ".js"):
		return 2
	}
	return -1
}

// spend counts the lines below a folder, each for the innermost of the rooms that
// its file is in, and returns files that are in none. What bookgen writes is left out.
func spend(t *testing.T, root string, all []*budget) (homeless []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == "site" || file == "public" || len(file) > 1 && file[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || kindOf(file) < 0:
			return nil
		}
		room, best := (*budget)(nil), 0
		for _, b := range all {
			if n := b.holds(file); n > best {
				room, best = b, n
			}
		}
		if room == nil {
			homeless = append(homeless, file)
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		room.used[kindOf(file)] += bytes.Count(text, []byte("\n"))
		return err
	}))
	return homeless
}

// table shows what each room has, may have and has left.
func table(all []*budget) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, kind := range kinds {
		english.Fprintf(w, "%s\tbudget\tleft\t", kind)
	}
	english.Fprintln(w, "  room")
	total := &budget{room: "all"}
	for _, b := range append(all, total) {
		for i := range kinds {
			english.Fprintf(w, "%d\t%d\t%d\t", b.used[i], b.most[i], b.most[i]-b.used[i])
			total.used[i] += b.used[i]
			total.most[i] += b.most[i]
		}
		english.Fprintf(w, "  %s\n", b.room)
	}
	w.Flush()
	return out.String()
}

func TestRoomsKeepTheirBudgets(t *testing.T) {
	slow.Test(t, "it is for who tends the book: a reader may write longer answers")
	text, err := os.ReadFile(budgetList)
	require.NoError(t, err)
	all := budgets(t, string(text))
	assert.Empty(t, spend(t, "../..", all), "in no room of "+budgetList)
	t.Log("\n" + table(all))
	for _, b := range all {
		for _, wrong := range b.over() {
			assert.Fail(t, wrong)
		}
	}
}

func TestARoomOverItsBudgetIsAskedWhatGoesForIt(t *testing.T) {
	all := budgets(t, "# a comment\n\nlib 0 9 9\nlib/a+b 1100 1 0\n")
	root := t.TempDir()
	for name, text := range map[string]string{
		"lib/a/a.go": strings.Repeat("x\n", 1000), "lib/b/deep/testdata/b.go": strings.Repeat("\n", 101),
		"lib/b/b_test.go": "x\n", "lib/b/b.js": "x\n", "lib/ab/ab_test.go": "x\n", "lib/c.js": "x\ny\n", "lib/b/b.md": "x\n",
		"other/c.go": "x\n", "site/a.js": "x\n", ".git/a.go": "x\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	assert.Equal(t, []string{"other/c.go"}, spend(t, root, all))
	assert.Equal(t, []lines{{0, 1, 2}, {1101, 1, 1}}, []lines{all[0].used, all[1].used})
	assert.Empty(t, all[0].over())
	assert.Equal(t, []string{
		"lib/a+b has 1,101 lines of code, its budget is 1,100: what goes for it?",
		"lib/a+b has 1 lines of JavaScript, its budget is 0: what goes for it?",
	}, all[1].over())
	assert.Regexp(t, `(?m)^ +1,101 +1,100 +-1 +2 +10 +8 +3 +9 +6 +all$`, table(all))
}
