// Package ready finds out whether a participant's machine is ready for a
// workshop: the exercises have to build and run on it without a network.
package ready

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"reconcile/internal/gowork"
)

// Machine is the machine that is examined.
type Machine struct {
	Getenv   func(string) string          // of the participant
	LookPath func(string) (string, error) // where a program is
	Size     func() (columns, lines int, err error)
	// Go runs the go tool in the book's folder, without a network.
	Go func(ctx context.Context, arguments ...string) (string, error)
	// Lab starts a lab, and ends it when it is up.
	Lab func(ctx context.Context) error
	Now func() time.Time
}

// Finding is the result of a check.
type Finding struct {
	Name, Says string
	OK         bool
	Do         string // the remedy
	Optional   bool   // much of a workshop goes without
}

// Examine makes the checks, in the order in which they are to be mended.
func Examine(ctx context.Context, m Machine) []Finding {
	golang := m.golang(ctx)
	all := []Finding{golang}
	if golang.OK {
		all = append(all, m.timed(ctx, "build", "it builds without a network", "build", "./chapters/01-control-loop"))
	}
	if len(all) > 1 && all[1].OK {
		all = append(all, m.timed(ctx, "test", "a test of exercise 1b passes", "test", "-count=1", "-run", "^TestPlan", "./chapters/01-control-loop"))
	}
	lab := m.lab(ctx)
	if !golang.OK && lab.OK { // it was packed
		all[0].Optional = true
		all[0].Do += "; without it the lab runs and the book is read, and no exercise is judged"
	}
	return append(all, lab, m.terminal(), m.editor())
}

func (m Machine) lab(ctx context.Context) Finding {
	began := m.Now()
	if err := m.Lab(ctx); err != nil {
		return Finding{Name: "lab", Says: err.Error(), Do: "send what `lab up` prints to your instructor"}
	}
	return Finding{Name: "lab", OK: true, Says: "it starts, in " + m.since(began)}
}

func (m Machine) since(began time.Time) string {
	return m.Now().Sub(began).Round(100 * time.Millisecond).String()
}

func (m Machine) golang(ctx context.Context) Finding {
	f := Finding{Name: "go"}
	version, err := m.Go(ctx, "version")
	if err != nil {
		f.Says = "is not there, or too old: " + lastLine(version, err)
		if errors.Is(err, gowork.ErrNoGo) {
			f.Says = "is not in the PATH"
		}
		f.Do = "install Go 1.26 or newer (https://go.dev/dl), and open a new terminal"
		return f
	}
	f.OK, f.Says = true, strings.TrimPrefix(strings.TrimSpace(version), "go version ")
	return f
}

// timed runs the go tool, and says how long that took.
func (m Machine) timed(ctx context.Context, name, says string, arguments ...string) Finding {
	began := m.Now()
	out, err := m.Go(ctx, arguments...)
	if err != nil {
		return Finding{
			Name: name, Says: "go " + strings.Join(arguments, " ") + ": " + lastLine(out, err),
			Do: "with a network, once: go mod download; or work in the folder that your instructor has packed",
		}
	}
	return Finding{Name: name, OK: true, Says: says + ", in " + m.since(began)}
}

// narrow is how wide a terminal has to be for what lab prints.
const narrow = 80

func (m Machine) terminal() Finding {
	columns, lines, err := m.Size()
	f := Finding{Name: "terminal", OK: true}
	switch {
	case err != nil:
		f.Says = "this is none, so nothing is known of its size"
	case columns < narrow:
		f.OK, f.Says, f.Do = false, fmt.Sprintf("%d columns", columns), fmt.Sprintf("make it %d wide: tables of kubectl break below that", narrow)
	default:
		f.Says = fmt.Sprintf("%d columns, %d lines", columns, lines)
	}
	return f
}

// editors are looked for if the environment names none.
var editors = []string{"code", "goland", "zed", "nvim", "vim", "emacs", "hx", "nano", "notepad.exe"}

func (m Machine) editor() Finding {
	f := Finding{Name: "editor", OK: true}
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := m.Getenv(variable); editor != "" {
			f.Says = editor
			return f
		}
	}
	for _, editor := range editors {
		if _, err := m.LookPath(editor); err == nil {
			f.Says = editor
			return f
		}
	}
	f.OK, f.Says, f.Do = false, "none was found", "any that you write Go in will do; open the book's folder in it once, before the day"
	return f
}

// lastLine returns what a program said last, or why it did not run.
func lastLine(out string, err error) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// Stops reports whether something is missing without which there's no workshop.
func Stops(findings []Finding) bool {
	for _, f := range findings {
		if !f.OK && !f.Optional {
			return true
		}
	}
	return false
}

// Print prints a line for each finding, and below them three to be sent to the
// instructor.
func Print(out io.Writer, findings []Finding) {
	says := map[string]string{}
	for _, f := range findings {
		word := "ok"
		says[f.Name] = f.Says
		if !f.OK {
			word, says[f.Name] = "missing", "MISSING: "+f.Says
		}
		fmt.Fprintf(out, "%-8s %-9s %s\n", word, f.Name, f.Says)
		if f.Do != "" {
			fmt.Fprintf(out, "%18s %s\n", "", f.Do)
		}
	}
	or := func(text string) string {
		if text == "" {
			return "not tried"
		}
		return text
	}
	fmt.Fprintf(out, "\nSend these three lines to your instructor:\n\n")
	fmt.Fprintf(out, "  go: %s; %d processors\n", says["go"], runtime.NumCPU())
	fmt.Fprintf(out, "  build: %s; test: %s; lab: %s\n", or(says["build"]), or(says["test"]), says["lab"])
	fmt.Fprintf(out, "  terminal: %s; editor: %s\n", says["terminal"], says["editor"])
}

// Here returns the go tool as Machine has it, in a folder of this machine.
func Here(root string, environ []string) func(context.Context, ...string) (string, error) {
	return func(ctx context.Context, arguments ...string) (string, error) {
		command := gowork.Command(ctx, arguments...)
		command.Dir, command.Env = root, append(environ, "GOPROXY=off", "GOTOOLCHAIN=local")
		out, err := command.CombinedOutput()
		if ctx.Err() != nil {
			return "", errors.New("interrupted")
		}
		return string(out), err
	}
}
