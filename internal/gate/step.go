package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gotest.tools/gotestsum/testjson"

	"reconcile/internal/slow"
)

// gate runs steps, and keeps what became of their tests.
type gate struct {
	record string // a file of outcomes
	plan   bool   // say what would run
}

// step runs a command. A test that fails is run once more, alone, if it meets the
// world: a busy machine may have failed it. Others have no excuse.
func (g gate) step(command []string, more ...string) error {
	command = slices.Concat(command, more)
	fmt.Println("$", strings.Join(abridged(command), " "))
	if g.plan {
		return nil
	}
	run, failed := g.run(command)
	if failed == nil || run == nil {
		return failed
	}
	tests := testjson.FilterFailedUnique(run.Failed())
	if len(tests) == 0 || len(tests) > 5 || run.HasDataRace() || run.HasPanic() || len(run.Errors()) > 0 {
		return failed
	}
	world, err := readWorld()
	if err != nil {
		return err
	}
	for _, test := range tests {
		if !world.has(test) {
			return failed
		}
	}
	for _, test := range tests {
		fmt.Printf("\nonce more, alone: %s of %s\n", test.Test, test.Package)
		again := append(flagsOf(command), "-run="+slow.Pattern(test.Test.Name()), test.Package)
		if _, err := g.run(again); err != nil {
			return err
		}
		if err := g.keep(outcome{Package: test.Package, Test: test.Test.Name(), Result: unsteady}); err != nil {
			return err
		}
	}
	return nil
}

// flagsOf returns a command up to its last flag but -run. What comes behind are
// packages.
func flagsOf(command []string) []string {
	var flags []string
	for i, arg := range command {
		if i < slices.Index(command, "test")+1 || strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "-run=") {
			flags = append(flags, arg)
		}
	}
	return flags
}

// abridged shortens arguments that nobody reads.
func abridged(command []string) []string {
	var short []string
	for _, arg := range command {
		if len(arg) > 200 {
			arg = fmt.Sprintf("%.80s… (%d signs)", arg, len(arg))
		}
		short = append(short, arg)
	}
	if len(short) > 20 {
		short = append(short[:19], fmt.Sprintf("… (%d packages)", len(command)-19))
	}
	return short
}

// run runs a command once, prints what a person wants to know of it, and keeps
// what became of each test.
func (g gate) run(command []string) (*testjson.Execution, error) {
	starter, err := g.starter()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), // nobody looks at these with a debugger: -w
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1 -json -ldflags=-w -exec="+starter)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	format := testjson.NewEventFormatter(os.Stdout, "pkgname-and-test-fails", testjson.FormatOptions{HideEmptyPackages: true})
	run, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: stdout, Handler: printer{format}})
	if err != nil {
		_, _ = io.Copy(io.Discard, stdout) // so that the command comes to its end
		return nil, errors.Join(err, cmd.Wait())
	}
	testjson.PrintSummary(os.Stdout, run, testjson.SummarizeFailed|testjson.SummarizeErrors)
	return run, errors.Join(cmd.Wait(), g.keep(outcomesOf(run)...))
}

type printer struct{ testjson.EventFormatter }

func (p printer) Event(event testjson.TestEvent, run *testjson.Execution) error {
	return p.Format(event, run)
}

func (printer) Err(string) error { return nil }

// starter writes the program that starts tests. They get the GOFLAGS that were
// there before: a go command of theirs would otherwise answer in JSON.
func (g gate) starter() (string, error) {
	before := "unset GOFLAGS"
	if flags, set := os.LookupEnv("GOFLAGS"); set {
		before = "export GOFLAGS='" + flags + "'"
	}
	path, err := filepath.Abs(g.record + ".starter")
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte("#!/bin/sh\n"+before+"\nexec \"$@\"\n"), 0o755)
}
