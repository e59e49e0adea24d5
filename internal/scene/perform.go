package scene

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
	"reconcile/internal/script"
	"reconcile/internal/trace"
)

// perform does one step of the script.
func (st *stage) perform(step *script.Step) {
	st.step = step
	step.Output = nil
	began, last := time.Now(), st.lab.Look.Last()
	st.trace.typed(step)
	switch {
	case step.Command == nil:
		verbs[step.Verb.Name](st, step.Verb.Args)
	case step.Command.Background:
		st.run(step.Command, strings.Join(step.Text(), " "))
	default:
		st.foreground(step)
	}
	st.quiesce()
	step.Trim()
	st.struck = append(st.struck[:st.done], st.lab.Look.Faults(last))
	st.asked = onlyAsks(step) && time.Now().Equal(began)
}

// foreground runs a command to its end.
func (st *stage) foreground(step *script.Step) {
	st.then = step.Command.Then
	st.front = st.run(step.Command, strings.Join(step.Text(), " "))
	done := func() bool { return st.front.hasEnded() }
	if !st.live(time.Now().Add(st.limit), done) {
		st.fail("%s has not ended after %s: it waits %s",
			st.front.text, st.limit, st.waitsFor(st.front))
	}
}

// goOn starts the command that was typed behind the one in the foreground, if
// that has ended well, and reports whether it did.
func (st *stage) goOn() bool {
	if st.then == nil || !st.front.hasEnded() {
		return false
	}
	next := st.then
	st.then = next.Then
	if st.front.code != 0 {
		st.then = nil
		return false
	}
	st.front = st.run(next, st.front.text)
	return true
}

// hurried reports whether requests come before controllers.
func (st *stage) hurried() bool {
	return st.step != nil && st.step.Command != nil && st.step.Command.Then != nil
}

// verbs do everything that is not a command.
var verbs = map[string]func(st *stage, args []string){
	"advance": func(st *stage, args []string) {
		if args[0] == script.UntilQuiet {
			st.live(time.Now().Add(time.Hour), st.trace.isQuiet)
			return
		}
		d, _ := time.ParseDuration(args[0]) // script has seen to it
		st.live(time.Now().Add(d), func() bool { return false })
	},
	"fail":     (*stage).do,
	"heal":     (*stage).do,
	"conflict": (*stage).do,
	"lose":     (*stage).do,
	"late":     (*stage).do,
	"pause":    (*stage).do,
	"step":     (*stage).do,
	"go-on":    (*stage).do,
	"resync":   (*stage).do,
	"why":      (*stage).why,
	"drop":     (*stage).drop,
	"crash":    (*stage).crash,
	"write": func(st *stage, args []string) {
		if err := writeFile(args[0], args[1]); err != nil {
			st.fail("%v", err)
		}
	},
	"restart": func(st *stage, _ []string) {
		st.crashed = false
		st.lab.Look.Told("", "restart", "the controllers start anew")
		st.faults.Repair()
		st.lab.Restart()
	},
	"edit": (*stage).edit,
	"add": func(st *stage, _ []string) {
		name, err := st.lab.AddNode()
		st.befalls(name, "added", err)
	},
	"cut": func(st *stage, args []string) {
		st.befalls(args[0], "cut", st.lab.Cut(args[0]))
	},
	"start": func(st *stage, args []string) {
		st.befalls(args[0], "started", st.lab.Start(args[0]))
	},
	"stop": func(st *stage, args []string) {
		if machine := st.step.Verb.Machine(); machine != "" {
			st.befalls(machine, "stopped", st.lab.Stop(machine))
			return
		}
		st.stop(args)
	},
}

// do does what the lab does to a controller, or to an image.
func (st *stage) do(args []string) {
	verb := trace.Verb{Name: st.step.Verb.Name}
	if len(args) > 0 {
		verb.Of = args[0]
	}
	if len(args) > 1 {
		verb.For, _ = time.ParseDuration(args[1]) // script has seen to it
	}
	if _, err := st.lab.Do(verb); err != nil {
		st.fail("%v", err)
	}
}

// why prints what an object waits for.
func (st *stage) why(args []string) {
	chain, err := st.lab.Why(args[0], "")
	if err != nil {
		st.fail("%v", err)
	}
	var text strings.Builder
	_ = chain.Write(&text) // a Builder takes all
	for _, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		st.step.Output = append(st.step.Output, script.Line{Text: line})
	}
}

// drop breaks all watches, or loses the next event of one controller.
func (st *stage) drop(args []string) {
	if args[0] != "watches" {
		st.do(args)
		return
	}
	st.lab.Look.Told("", "drop", "all watches lose their connections")
	st.faults.BreakWatches(errors.New("connection reset by peer"))
}

// befalls notes the accident of a machine, if it could happen.
func (st *stage) befalls(machine, what string, err error) {
	if err != nil {
		st.fail("%v", err)
	}
	st.trace.add(traceStep{Lane: machine, Action: what})
}

// crash ends one controller, or all of them. Its queue and its memory are
// lost.
func (st *stage) crash(args []string) {
	if len(args) == 0 {
		st.crashed = true
		st.lab.Look.Told("", "crash", "all controllers crash")
		return
	}
	if args[0] == script.AfterAWrite {
		st.faults.CrashAtWrite(st.faults.Writes()+1, kubetest.After)
		st.lab.Look.Told("", "doomed", "all controllers will crash after their next write")
		return
	}
	controller := st.lab.Controller(args[0])
	if controller == nil {
		st.fail("there is no controller %q", args[0])
	}
	controller.Reconciler = dead{}
	st.lab.Look.Told(controller.Name, "crash", "crashed")
}

// dead is a Reconciler that does nothing any more.
type dead struct{}

// Reconcile implements controlloop.Reconciler.
func (dead) Reconcile(context.Context, controlloop.Key) (controlloop.Result, error) {
	return controlloop.Result{}, nil
}

// edit replaces text in a file, wherever it stands.
func (st *stage) edit(args []string) {
	file, old, next := args[0], args[1], args[2]
	content, err := os.ReadFile(file)
	if err != nil {
		st.fail("%v", err)
	}
	text := strings.ReplaceAll(string(content), old, next)
	if text == string(content) {
		st.fail("%s does not contain %q", file, old)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		st.fail("%v", err)
	}
}

// writeFile makes a file, and the folders that it lies in.
func writeFile(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// stop ends commands in the background as ctrl-C does: without a word.
func (st *stage) stop(args []string) {
	found := false
	for _, p := range st.processes {
		if p.job == 0 || len(args) > 0 && strconv.Itoa(p.job) != args[0] {
			continue
		}
		found, p.quiet = true, true
		p.cancel()
		if !st.live(time.Now().Add(st.limit), p.hasEnded) {
			st.fail("%s does not end: it waits %s", p.text, st.waitsFor(p))
		}
	}
	if !found {
		st.fail("no such command runs in the background")
	}
}
