package exercise

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/open"
	"reconcile/internal/source"
)

// A reach says which exercises' functions a test reaches.
type reach struct {
	exercises []string
	cost      int // milliseconds of a processor
}

// reachFile is the file in which a chapter keeps what its tests reach. Those that
// reach an exercise's functions judge it, marked or not.
const reachFile = "reach.txt"

const reachHead = "# How many milliseconds each test takes, and which exercises' functions it reaches:\n" +
	"# it judges these exercises, marked or not. `go run ./cmd/bookgen check --update` writes it.\n\n"

// enough is how many milliseconds the tests may take that judge besides the
// marked ones. A reader waits for them.
const enough = 2000

func reachText(all map[string]reach) string {
	var out strings.Builder
	for _, test := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&out, "%s %d %s\n", test, all[test].cost, strings.Join(all[test].exercises, " "))
	}
	return out.String()
}

// parseReach reads such lines, by the path of the test in its chapter.
func parseReach(text string) map[string]reach {
	all := make(map[string]reach)
	for _, line := range linesOf(text) {
		if fields := strings.Fields(line); len(fields) > 2 {
			cost, _ := strconv.Atoi(fields[1])
			all[fields[0]] = reach{fields[2:], cost}
		}
	}
	return all
}

// readReach finds the tests that judge besides the marked ones.
func readReach(folder fs.FS, exercises []*Exercise) {
	text, err := fs.ReadFile(folder, "exercises/"+reachFile)
	if err != nil {
		return // bookgen check says so
	}
	all := parseReach(string(text))
	for _, e := range exercises {
		e.Also, e.tooSlow = e.reachedBy(all)
	}
}

// reachedBy returns the tests that reach its functions without its mark, the quick
// ones first, as far as there is time for them, and how many are left.
func (e *Exercise) reachedBy(all map[string]reach) (tests []*source.Decl, left int) {
	cost := func(test *source.Decl) int { return all[path.Join(e.Folder, test.Name)].cost }
	for _, test := range testsOf(e.code) {
		if test.Exercise != e.Number && slices.Contains(all[path.Join(e.Folder, test.Name)].exercises, e.Number) {
			tests = append(tests, test)
		}
	}
	slices.SortFunc(tests, func(a, b *source.Decl) int {
		return cmp.Or(cmp.Compare(cost(a), cost(b)), cmp.Compare(a.Name, b.Name))
	})
	spent := 0
	for i, test := range tests {
		if spent += cost(test); spent > enough {
			return tests[:i], len(tests) - i
		}
	}
	return tests, 0
}

// testsOf returns the tests of a package, if there is one.
func testsOf(code *source.Package) (tests []*source.Decl) {
	if code == nil {
		return nil
	}
	for _, file := range code.Files {
		for _, decl := range file.Decls {
			if file.Test && decl.Kind == source.Func && strings.HasPrefix(decl.Name, "Test") && decl.Name != "TestMain" {
				tests = append(tests, decl)
			}
		}
	}
	return tests
}

const probe = "reached__"

// reachClaim returns the claim that each test of a package passes alone, in which
// it is measured what it reaches: the exercises' functions say so when they are
// called for the first time.
func reachClaim(exercises []*Exercise, chapter string) (*claim, error) {
	first := exercises[0]
	dir := filepath.Join(chapter, filepath.FromSlash(first.Folder))
	c := &claim{about: "what the tests reach", file: first.File, line: 1, measures: true, open: exercises, slow: make(map[string]reach)}
	known := knownReach(filepath.Join(chapter, "exercises"))
	for _, test := range testsOf(first.code) {
		at := path.Join(first.Folder, test.Name)
		if r := known[at]; r.cost > enough {
			c.slow[at] = r
		} else {
			c.tests = append(c.tests, judge{test.Name, test.File.Path, test.Line})
		}
	}
	c.variant = variant{filepath.Join(dir, "zz_reach.go"): {
		after: fmt.Appendf(nil, "package %s\n\nimport \"sync\"\n\nvar %s sync.Map\n", first.code.Name, probe),
	}}
	for file, statements := range probes(exercises) {
		text, err := cut.Begin(file.Content, statements)
		if err != nil {
			return nil, c.problem("%v", err)
		}
		c.variant[filepath.Join(dir, file.Name)] = edit{before: file.Content, after: text}
	}
	return c, nil
}

// probes returns the statements that functions begin with, by their files.
func probes(exercises []*Exercise) map[*source.File]map[string]string {
	statements := make(map[*source.File]map[string]string)
	for _, e := range exercises {
		for _, fn := range e.Functions {
			if fn.Body == nil {
				continue // a fault may be in another declaration
			}
			if statements[fn.File] == nil {
				statements[fn.File] = make(map[string]string)
			}
			statements[fn.File][fn.Name] += fmt.Sprintf(" if _, known := %s.LoadOrStore(%q, true); !known { println(%q) };",
				probe, e.Number, "\x16"+probe+e.Number)
		}
	}
	return statements
}

var reached = regexp.MustCompile(`\x16` + probe + `(\S+)`)

// measure runs each test alone, as a short one: so a reader's judge runs them. One
// that is slow has no time to judge, and is not run again. One that compares a
// recording judges nothing without a mark, since a right answer may have other
// words.
func (p *prover) measure(ctx context.Context, c *claim) error {
	env := []string{open.PlainEnv + "=1", open.Env + "=" + c.opened(), open.ReachEnv + "=1"}
	alone := func(pattern string) (a answer) {
		for limit := p.timeout / 2; limit <= 4*p.timeout; limit *= 2 {
			a = p.start(ctx, c.binary, limit, env, "-test.run", pattern, "-test.short")
			if !a.timedOut() || a.cost > enough*time.Millisecond {
				break // else it's the machine that is busy
			}
		}
		return a
	}
	idle := alone("^$").cost
	all := maps.Clone(c.slow)
	var errs []error
	for _, judge := range c.tests {
		a := alone(runPattern(judge.test))
		if a.timedOut() {
			a.exitCode, a.cost = 0, max(a.cost, idle+2*enough*time.Millisecond)
		} else if !a.inPeace() || a.exitCode != 0 {
			errs = append(errs, source.At(judge.file, judge.line, "%s does not pass alone:\n%s", judge.test, indent(a.lastWords())))
			continue
		}
		if bytes.Contains(a.output, []byte(open.Recorded)) {
			continue
		}
		r := reach{cost: int(max(0, a.cost-idle).Milliseconds())}
		for _, match := range reached.FindAllSubmatch(a.output, -1) {
			r.exercises = append(r.exercises, string(match[1]))
		}
		slices.SortFunc(r.exercises, Compare)
		if slices.ContainsFunc(c.open, func(e *Exercise) bool { return slices.Contains(r.exercises, e.Number) && !e.Marked(judge.test) }) {
			all[path.Join(c.open[0].Folder, judge.test)] = r
		}
	}
	if err := source.Join(errs...); err != nil {
		return err
	}
	c.reach = all
	return nil
}

func knownReach(exercises string) map[string]reach {
	text, _ := os.ReadFile(filepath.Join(exercises, reachFile)) // there may be none yet
	return parseReach(string(text))
}

// checkReach compares the chapter's file with what the tests reach now, or writes
// it. A time that was written once stays, until it is another by far; so does what
// a test has reached, since goroutines don't always come as far; and a test that a
// busy machine has made slow is as it was.
func checkReach(claims []*claim, update bool) error {
	all := make(map[string]reach)
	for _, c := range claims {
		if c.measures && c.reach == nil {
			return nil // the problem was reported
		}
		maps.Copy(all, c.reach)
	}
	if len(all) == 0 {
		return nil
	}
	file := filepath.Join(filepath.Dir(claims[0].file), reachFile)
	known := knownReach(filepath.Dir(file))
	for test, now := range all {
		switch before, was := known[test]; {
		case !was && now.cost > enough && !update:
			delete(all, test)
		case was && now.cost > enough:
			all[test] = before
		case was:
			now.exercises = append(now.exercises, before.exercises...)
			slices.SortFunc(now.exercises, Compare)
			now.exercises = slices.Compact(now.exercises)
			if !update || before.cost <= 2*now.cost+20 && now.cost <= 2*before.cost+20 {
				now.cost = before.cost
			}
			all[test] = now
		}
	}
	return compareFile(file, []byte(reachHead+reachText(all)), update)
}
