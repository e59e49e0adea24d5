package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"gotest.tools/gotestsum/testjson"
)

// outcome is what became of a test, or of a part of one, in one step.
type outcome struct {
	Package, Test string
	Result        string // pass, fail, skip, or unsteady: it passed at a second try
	Said          string `json:",omitempty"` // by a test that was skipped
}

const unsteady = "unsteady"

// outcomesOf returns what became of all tests of a run.
func outcomesOf(run *testjson.Execution) []outcome {
	var all []outcome
	for _, name := range run.Packages() {
		pkg := run.Package(name)
		for result, tests := range map[string][]testjson.TestCase{"pass": pkg.Passed, "fail": pkg.Failed, "skip": pkg.Skipped} {
			for _, test := range tests {
				said := ""
				if result == "skip" {
					said = reason(pkg.OutputLines(test))
				}
				all = append(all, outcome{name, test.Test.Name(), result, said})
			}
		}
	}
	return all
}

// skipped is a line in which a test says why it skips itself.
var skipped = regexp.MustCompile(`^\s+\w+\.go:\d+: `)

// reason returns what a skipped test said last, without where it did.
func reason(lines []string) (said string) {
	for _, line := range lines {
		if place := skipped.FindString(line); place != "" {
			said = strings.TrimSpace(line[len(place):])
		}
	}
	return said
}

// keep adds outcomes to the record.
func (g gate) keep(outcomes ...outcome) (err error) {
	file, err := os.OpenFile(g.record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	encoder := json.NewEncoder(file)
	for _, o := range outcomes {
		if err := encoder.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the record. Before the first step there is none.
func (g gate) kept() ([]outcome, error) {
	text, err := os.ReadFile(g.record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []outcome
	for line := range strings.Lines(string(text)) {
		var o outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return nil, fmt.Errorf("%s: %w", g.record, err)
		}
		all = append(all, o)
	}
	return all, nil
}
