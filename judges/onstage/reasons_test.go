package onstage_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write down anew what comes of each scene")

// reason says why a line differs.
type reason struct {
	pattern *regexp.Regexp
	text    string
	needed  bool
}

type reasons []*reason

// readReasons reads differences.txt, whose head says how it is written.
func readReasons(t *testing.T) (all reasons) {
	t.Helper()
	content, err := os.ReadFile("differences.txt")
	require.NoError(t, err)
	for text := range strings.Lines(string(content)) {
		text = strings.TrimRight(text, "\n")
		switch {
		case text == "", strings.HasPrefix(text, "#"):
		case strings.HasPrefix(text, "    "):
			require.NotEmpty(t, all, "a reason of nothing: %s", text)
			last := all[len(all)-1]
			last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(text))
		default:
			all = append(all, &reason{pattern: regexp.MustCompile(text)})
		}
	}
	for _, r := range all {
		require.NotEmpty(t, r.text, "%s has no reason", r.pattern)
	}
	return all
}

// reasonOf returns the reason of a difference, or nil.
func (all reasons) reasonOf(p performance, d difference) *reason {
	for _, r := range all {
		if r.pattern.MatchString(p.name + ": " + d.text) {
			return r
		}
	}
	return nil
}

// judge asserts that each difference of a scene has its reason, and returns what
// came of the scene.
func (all reasons) judge(t *testing.T, p performance, found []difference) string {
	t.Helper()
	verdict := "same"
	var why []string
	steps := map[string][]string{} // in which a reason is needed
	for _, d := range found {
		verdict = "differs"
		r := all.reasonOf(p, d)
		if r == nil {
			t.Errorf("without a reason: %s: %s", p.name, d.text)
			continue
		}
		r.needed = true
		if steps[r.text] == nil {
			why = append(why, r.text)
		}
		steps[r.text] = append(steps[r.text], strconv.Itoa(d.step))
	}
	text := p.name + ": " + verdict + ": " + strings.Join(p.writers, " ")
	if operator := p.ours.Setting("with", ""); strings.HasPrefix(operator, "7") {
		text += " beside " + operator
	}
	for _, reason := range why {
		text += "\n    " + strings.Join(slices.Compact(steps[reason]), " ") + ": " + reason
	}
	return text + "\n"
}

// allNeeded asserts that there is no reason of a difference that is none.
func (all reasons) allNeeded(t *testing.T) {
	t.Helper()
	for _, r := range all {
		assert.True(t, r.needed, "nothing differs as %s says", r.pattern)
	}
}

// verdicts compares what came of the scenes with verdicts.txt, or writes that.
func verdicts(t *testing.T, all []string) {
	t.Helper()
	got := fmt.Sprintf(head, version(t)) + strings.Join(all, "")
	if *update {
		require.NoError(t, os.WriteFile("verdicts.txt", []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile("verdicts.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "written down by: go test ./onstage -update")
}

// version returns Kubernetes', as go.mod has it.
func version(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	found := regexp.MustCompile(`k8s.io/kubernetes (v\S+)`).FindSubmatch(content)
	require.NotNil(t, found)
	return string(found[1])
}

const head = `# What comes of each scene when Kubernetes' controllers play it: whether it prints the
# same, and which of them write, by what they call themselves; beside which operator
# of chapter 7; indented, in which steps it doesn't, and why. Below each transcript of
# the book is what stands here. Written by: go -C judges test ./onstage -update

Kubernetes %s

`
