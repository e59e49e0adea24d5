// Command gate runs the test steps of .ci/run. What a step ran and skipped is
// recorded, so that a later one can run what an earlier one has left out, and so
// that a test which no step runs is found.
//
//	gate go test ./...             runs a step
//	gate --left-out go test        runs the tests that were left out so far
//	gate --racing go test -race …  runs those tests in which goroutines of ours run
//	gate --end                     fails if there is a test that no step ran
//	gate --unsteady                names those that passed at a second try only
//
// A step is a go command as somebody would type it. GOFLAGS gives what the gate
// wants besides, so that the command is the reader's letter for letter.
//
//	main.go     the command line
//	step.go     a step, and second tries
//	world.go    the tests that may have one
//	outcome.go  what became of tests
//	leftout.go  the tests that were skipped and name a command
//	source.go   the tests that there are
//	racing.go   those in which goroutines run
//	end.go      those that no step ran
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	var g gate
	flag.StringVar(&g.record, "record", "", "the `file` in which outcomes of all steps are kept")
	leftOut := flag.Bool("left-out", false, "run the tests that the steps before left out")
	racing := flag.Bool("racing", false, "run the tests in which goroutines of ours run")
	end := flag.Bool("end", false, "fail if there is a test that no step ran")
	unsteady := flag.Bool("unsteady", false, "name the tests that passed at a second try only")
	flag.BoolVar(&g.plan, "plan", false, "say which tests would run, and run none")
	flag.Parse()
	var err error
	switch {
	case *leftOut:
		err = g.leftOut(flag.Args())
	case *racing:
		err = g.racing(flag.Args())
	case *end:
		err = g.end()
	case *unsteady:
		err = g.unsteady()
	default:
		err = g.step(flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}
