package onstage_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"reconcile/internal/script"
)

// line is a line that was printed.
type line struct {
	step string // its number, and the command or the verb that it stands below
	job  int
	text string
}

// printed returns the lines of a transcript.
func printed(s *script.Script) (all []line) {
	for i, step := range s.Steps {
		of := fmt.Sprintf("%d %s", i+1, step.Text()[0])
		for _, out := range step.Output {
			all = append(all, line{of, out.Job, strings.Join(strings.Fields(out.Text), " ")})
		}
	}
	return all
}

// difference is a line that only one side has printed.
type difference struct {
	step int    // of the scene, from 1
	text string // the step, "-" for the book's or "+" for Kubernetes', and the line
}

// compare returns the lines that only one side has printed.
func compare(ours, theirs *script.Script) (found []difference) {
	left := printed(ours)
	right := renamed(left, printed(theirs))
	for i, step := range ours.Steps {
		of := fmt.Sprintf("%d %s", i+1, step.Text()[0])
		a, b := ordered(left, of), ordered(right, of)
		for _, op := range difflib.NewMatcher(a, b).GetOpCodes() {
			if op.Tag == 'e' {
				continue
			}
			for _, text := range a[op.I1:op.I2] {
				found = append(found, difference{i + 1, step.Text()[0] + ": - " + text})
			}
			for _, text := range b[op.J1:op.J2] {
				found = append(found, difference{i + 1, step.Text()[0] + ": + " + text})
			}
		}
	}
	return found
}

// ordered returns what a step has printed. Lines that kubectl sorts by names that
// are made up, or of events that are as old, are sorted by what they say.
func ordered(all []line, step string) (lines []string) {
	var run []string
	last := ""
	end := func() {
		slices.Sort(run)
		lines, run = append(lines, run...), nil
	}
	for _, l := range all {
		if l.step != step {
			continue
		}
		text, free := l.text, freedom(l)
		if l.job > 0 {
			text = fmt.Sprintf("%d| %s", l.job, text)
		}
		if free == "" || free != last {
			end()
		}
		last = free
		if free == "" {
			lines = append(lines, text)
			continue
		}
		run = append(run, text)
	}
	end()
	return lines
}

var ofAge = regexp.MustCompile(`^(?:(?:Normal|Warning) \S+ )?(\d+[smh]\d*[sm]?(?: \(x\d+ over \d+[smh]\d*[sm]?\))?) `)

// freedom returns what adjacent lines have in common whose order nothing promises;
// "": nothing.
func freedom(l line) string {
	if age := ofAge.FindStringSubmatch(l.text); age != nil {
		return age[1]
	}
	if l.job > 0 && !strings.HasSuffix(l.step, " &") {
		return "" // a watch tells what happens, as it happens
	}
	columns := strings.Fields(l.text)
	return kindOf(made[0].FindString(strings.Join(columns[:min(2, len(columns))], " ")))
}
