package exercise

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/exercise/numbering"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/source"
)

// A Saying holds the words of the tests that judge an answer: for each that
// fails, without those that fail for a subtest's sake, its sentences in order, as
// far as they are known.
type Saying map[string][]string

// Said collects the words of failures.
func Said(failures []trial.Failure) Saying {
	said := make(Saying)
	for _, f := range failures {
		said[f.Test] = append(said[f.Test], f.Says)
	}
	for test := range said {
		slices.Sort(said[test])
		said[test] = slices.Compact(said[test])
	}
	return said
}

// common returns the words that two runs of the same answer have in common.
func (s Saying) common(other Saying) Saying {
	both := make(Saying)
	for test, sentences := range s {
		if others, fails := other[test]; fails {
			both[test] = slices.DeleteFunc(slices.Clone(sentences), func(sentence string) bool {
				return !slices.Contains(others, sentence)
			})
		}
	}
	return both
}

// holds reports whether s has all words of another.
func (s Saying) holds(other Saying) bool {
	for test, sentences := range other {
		for _, sentence := range sentences {
			if !slices.Contains(s[test], sentence) {
				return false
			}
		}
	}
	return true
}

func (s Saying) sameTests(other Saying) bool {
	return slices.Equal(slices.Sorted(maps.Keys(s)), slices.Sorted(maps.Keys(other)))
}

// size is the number of sentences.
func (s Saying) size() (n int) {
	for _, sentences := range s {
		n += len(sentences)
	}
	return n
}

// LooksLike returns the wrong answer of which the tests say the same: the same tests
// fail, with all the words that are recorded of it. A name for the set of tests alone
// would be a story about somebody else's mistake. Of several the one with the most
// words; nil: none, or nobody knows which.
func (e *Exercise) LooksLike(said Saying) (like *WrongAnswer) {
	most := 0
	for i := range e.Wrong {
		wrong := &e.Wrong[i]
		size := wrong.Says.size()
		switch {
		case size < max(most, 1) || !wrong.Says.sameTests(said) || !said.holds(wrong.Says):
		case size == most:
			like = nil
		default:
			like, most = wrong, size
		}
	}
	return like
}

// saysFile is the file in which a chapter keeps its tests' words
// about the wrong answers.
const saysFile = "wrong-answers.txt"

const saysHead = "# What the tests say of each wrong answer, by which it is known again.\n" +
	"# `go run ./cmd/bookgen check --update` writes it.\n"

// heading returns the first line of a wrong answer's part of the file.
func (e *Exercise) heading(wrong *WrongAnswer) string { return e.Number + " " + wrong.Name }

// text returns a saying as the file has it: tests, and below each its
// sentences.
func (s Saying) text() string {
	var out strings.Builder
	for _, test := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&out, "  %s\n", test)
		for _, sentence := range s[test] {
			if sentence == "" {
				continue // it fails, and by no assertion
			}
			fmt.Fprintf(&out, "    %s\n", sentence)
		}
	}
	return out.String()
}

// parseSayings reads such texts, each below its heading.
func parseSayings(text string) map[string]Saying {
	all := make(map[string]Saying)
	var said Saying
	test := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		switch content := strings.TrimLeft(line, " "); {
		case content == "" || line[0] == '#':
		case content == line:
			said = make(Saying)
			all[content] = said
		case len(line)-len(content) == 2 && said != nil:
			test = content
			said[test] = nil
		case said != nil:
			said[test] = append(said[test], content)
		}
	}
	return all
}

// readSayings gives the wrong answers their records. A new one has none yet;
// bookgen check says so.
func readSayings(folder fs.FS, exercises []*Exercise) {
	text, err := fs.ReadFile(folder, "exercises/"+saysFile)
	if err != nil {
		return
	}
	all := parseSayings(string(text))
	for _, e := range exercises {
		for i := range e.Wrong {
			e.Wrong[i].Says = all[e.heading(&e.Wrong[i])]
		}
	}
}

// sayings returns the file as it should be; complete only if every claim about
// a wrong answer was proven.
func sayings(claims []*claim) (text string, complete bool) {
	var out strings.Builder
	out.WriteString(saysHead)
	for _, c := range byNumber(claims) {
		switch {
		case c.wrong == nil || c.nameless:
		case c.said == nil:
			return "", false
		default:
			fmt.Fprintf(&out, "\n%s\n%s", c.exercise.heading(c.wrong), c.said.text())
		}
	}
	return out.String(), true
}

// byNumber returns the claims about single exercises in the order of these, in
// whatever folders they are.
func byNumber(claims []*claim) []*claim {
	single := slices.DeleteFunc(slices.Clone(claims), func(c *claim) bool { return c.exercise == nil })
	slices.SortStableFunc(single, func(a, b *claim) int { return numbering.Compare(a.exercise.Number, b.exercise.Number) })
	return single
}

// checkSayings compares the chapter's file with what the tests say now, or writes
// it.
func checkSayings(claims []*claim, update bool) error {
	text, complete := sayings(claims)
	if !complete || text == saysHead {
		return nil // the problem was reported, or there is nothing to report
	}
	file := filepath.Join(filepath.Dir(claims[0].file), saysFile)
	var err error
	if update || !allHold(claims) {
		err = compareFile(file, []byte(text), update)
	}
	return source.Join(err, checkNames(claims))
}

// allHold reports whether of each wrong answer the tests say all that is recorded. They
// may say more: a test that draws, or measures, has not the same words each time.
func allHold(claims []*claim) bool {
	return !slices.ContainsFunc(claims, func(c *claim) bool {
		return c.wrong != nil && !c.nameless &&
			(!c.wrong.Says.sameTests(c.said) || !c.said.holds(c.wrong.Says))
	})
}

// checkNames reports a name that fits another answer. Of two wrong answers about
// which the tests say the same, neither gets a name.
func checkNames(claims []*claim) error {
	var errs []error
	for _, c := range claims {
		if c.wrong != nil && !c.nameless {
			c.wrong.Says = c.said
		}
	}
	for _, c := range claims {
		if c.wrong == nil {
			continue
		}
		if like := c.exercise.LooksLike(c.said); like != nil && like != c.wrong {
			errs = append(errs, c.problem("%s is taken for %q", c.about, like.Name))
		}
	}
	return source.Join(errs...)
}
