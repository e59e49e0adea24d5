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
	"reconcile/internal/exercise/numbering"
	"reconcile/internal/openexercises"
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
	c := &claim{about: "what the tests reach", file: first.File, line: 1, measures: true, open: exercises}
	c.known = knownReach(filepath.Join(chapter, "exercises"))
	for _, test := range testsOf(first.code) {
		c.tests = append(c.tests, judge{test.Name, test.File.Path, test.Line})
	}
	c.variant = variant{filepath.Join(dir, "zz_reach.go"): {
		after: fmt.Appendf(nil, "package %s\n\nimport \"sync\"\n\nvar %s sync.Map\n", first.code.Name, probe),
	}}
	for file, statements := range probes(exercises) {
		text, err := cut.Begin(file.Content, statements)
		if err != nil {
			return nil, c.problem("%v", err)
		}
		c.variant[filepath.Join(dir, file.Name)] = edit{file.Content, text, slices.Sorted(maps.Keys(statements))}
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
// that is slow has no time to judge, and is not run again.
func (p *prover) measure(ctx context.Context, c *claim) error {
	idle := p.alone(ctx, c, "^$").cost
	all := make(map[string]reach)
	var errs []error
	for _, judge := range c.tests {
		at := path.Join(c.open[0].Folder, judge.test)
		known := c.known[at]
		if known.cost > enough {
			all[at] = known
			continue
		}
		now, err := p.measureOne(ctx, c, judge, idle)
		judges := func() bool { // without a mark
			return slices.ContainsFunc(c.open, func(e *Exercise) bool { return slices.Contains(now.exercises, e.Number) && !e.Marked(judge.test) })
		}
		for range 2 { // one that comes further only sometimes is no judge
			if err != nil || !judges() || !now.beyond(known) {
				break
			}
			var again reach
			again, err = p.measureOne(ctx, c, judge, idle)
			now.exercises = slices.DeleteFunc(now.exercises, func(e string) bool { return !slices.Contains(again.exercises, e) })
		}
		errs = append(errs, err)
		if judges() {
			all[at] = now
		}
	}
	if err := source.Join(errs...); err != nil {
		return err
	}
	c.reach = all
	return nil
}

// beyond reports whether a test has reached what is not known of it.
func (r reach) beyond(known reach) bool {
	return slices.ContainsFunc(r.exercises, func(e string) bool { return !slices.Contains(known.exercises, e) })
}

// measureOne runs one test. If it compares a recording, it judges nothing without
// a mark, since a right answer may have other words.
func (p *prover) measureOne(ctx context.Context, c *claim, judge judge, idle time.Duration) (r reach, err error) {
	a := p.alone(ctx, c, runPattern(judge.test))
	switch {
	case a.timedOut():
		r.cost = 2 * enough
	case !a.inPeace() || a.exitCode != 0:
		return r, source.At(judge.file, judge.line, "%s does not pass alone:\n%s", judge.test, indent(a.lastWords()))
	case bytes.Contains(a.output, []byte(openexercises.Recorded)):
		return r, nil
	}
	r.cost = max(r.cost, int((a.cost - idle).Milliseconds()), 0)
	for _, match := range reached.FindAllSubmatch(a.output, -1) {
		r.exercises = append(r.exercises, string(match[1]))
	}
	slices.SortFunc(r.exercises, numbering.Compare)
	return r, nil
}

// alone runs what a pattern matches. A test that takes long, and little of a
// processor, is given more time: others are using the machine.
func (p *prover) alone(ctx context.Context, c *claim, pattern string) (a answer) {
	env := []string{openexercises.PlainEnv + "=1", openexercises.Env + "=" + c.opened(), openexercises.ReachEnv + "=1"}
	for limit := p.timeout / 2; limit <= 4*p.timeout; limit *= 2 {
		a = p.start(ctx, c.binary, limit, env, "-test.run", pattern, "-test.short")
		if !a.timedOut() || a.cost > enough*time.Millisecond {
			break
		}
	}
	return a
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
		case was && (now.cost > enough || !update && !now.beyond(before)):
			all[test] = before
		case was:
			now.exercises = append(now.exercises, before.exercises...)
			slices.SortFunc(now.exercises, numbering.Compare)
			now.exercises = slices.Compact(now.exercises)
			if before.cost <= 2*now.cost+20 && now.cost <= 2*before.cost+20 {
				now.cost = before.cost
			}
			all[test] = now
		}
	}
	return compareFile(file, []byte(reachHead+reachText(all)), update)
}
