// Package doctor says what a machine lacks to run containers that are real, and
// how one gets it. It looks at little and tries much: a setting that forbids
// something is one of many, but an attempt that works has the last word.
//
//	doctor.go   the machine, the checks, and how they are told
//	look.go     what can be looked up: programs, settings, space
//	try.go      what has to be tried, in a room of its own
package doctor

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Lab describes the lab that is to be started.
type Lab struct {
	Runtime    string // runc or crun
	Kubeconfig string // its own; "": the usual one
	Data       string // a file beside which its data will be; "": likewise
}

// Machine is the machine that is examined.
type Machine struct {
	OS       string // Linux is "linux"
	UID      int
	Runtime  string                       // runc or crun
	Files    fs.FS                        // all of them, from the root
	LookPath func(string) (string, error) // where a program is
	Free     func() (bytes uint64, err error)
	Lab      func() (pid int) // one that runs already; 0: none
	// Try begins a room and does in there what a lab does. It returns why each
	// of the Steps failed; an error means that there was no room to be had.
	Try func(context.Context) (map[string]string, error)
}

// Finding is the result of a check.
type Finding struct {
	Name string
	OK   bool
	// Needed says that no container runs without it; otherwise it's an image
	// that is missing.
	Needed bool
	Says   string
	Do     []string // the remedies, one a line
}

// Examine returns its findings, in the order in which they are to be mended.
func Examine(ctx context.Context, m Machine) []Finding {
	if m.OS != "linux" {
		return []Finding{{
			Name: "Linux", Needed: true, Says: "this is " + m.OS,
			Do: []string{
				"lab up                 # simulated containers run everywhere",
				"the others need a Linux, a virtual machine with one for instance",
			},
		}}
	}
	all := []Finding{{Name: "Linux", OK: true, Needed: true}, m.runtime(), m.golang()}
	all = append(all, m.room(ctx)...)
	all = append(all, m.groups(), m.user(), m.space(), m.alone())
	return append(all, m.images()...)
}

// Stops reports whether something that is needed is missing.
func Stops(findings []Finding) bool {
	for _, f := range findings {
		if f.Needed && !f.OK {
			return true
		}
	}
	return false
}

// Print prints a line for each finding, and below it the remedy.
func Print(out io.Writer, findings []Finding) {
	for _, f := range findings {
		word := "ok"
		if !f.OK {
			word = "missing"
		}
		line := fmt.Sprintf("%-8s %-13s %s", word, f.Name, f.Says)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
		for _, do := range f.Do {
			fmt.Fprintf(out, "%9s%s\n", "", do)
		}
	}
}
