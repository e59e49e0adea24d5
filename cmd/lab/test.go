package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/cmd/lab/tracediff"
	"reconcile/internal/english"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/exercise/workspace"
)

// notPassed ends a command whose output has said everything.
const notPassed = program.ExitCode(1)

// A tester runs the tests of exercises and prints the outcome.
type tester struct {
	command *cobra.Command
	*workspace.Workspace
	mine, verbose, show bool
	look, open          bool
}

func newTestCommand() *cobra.Command {
	t, all := tester{}, false
	t.command = oneExercise(&cobra.Command{
		Use:   "test [NUMBER]",
		Short: "Run the tests that judge an exercise",
		Long: `Run the tests that judge an exercise, and remember the result. The exit code is
1 when they do not pass. First come the tests that the exercise names, and if these
pass, the other ones that run through your functions. Only these functions are judged:
of all other exercises that you have started, the tests see the book's version. With
--mine they see yours, and while any of those is open, only the named tests are run.
No file is changed for that. Without a number, it is the exercise that you started last.

A test that fails and has a cluster with controllers is run again, with your functions
and with the book's answer, and the first step in which the two runs differ stands
above the tests, or below them when it takes longer. With --look a page has both runs
beside each other: each write, each event, each key and each reconcile. It is served on
this machine alone, until ctrl-C; --open opens it in the browser. If only tests of a
function alone fail, --look looks at the other tests that run through it, too.`,
		Example: examples("test 1b", "test 1b --verbose", "test 2f --look", "test --all"),
		RunE: func(command *cobra.Command, arguments []string) (err error) {
			signal.Ignore(syscall.Signal(13)) // SIGPIPE, which a page has not: an attempt counts though its output is not read to the end
			if t.Workspace, err = openToBuild(command); err != nil {
				return err
			}
			defer reportAgain(command, t.Workspace)
			if all && (t.look || t.open) {
				return errors.New("--look looks into one exercise: give its number, and leave --all out")
			}
			if all {
				return t.testAll(command.Context())
			}
			number, err := latestOr(command.Context(), t.Workspace, arguments)
			if err != nil {
				return err
			}
			page, err := t.test(command.Context(), number)
			if page == nil {
				return err
			}
			reportAgain(command, t.Workspace) // a board is told now, and not when all has been seen
			return cmp.Or(showRuns(command, page, t.open), err)
		},
	}, false)
	orAll(t.command, &all, "every exercise that is started")
	t.command.Flags().BoolVar(&t.mine, "mine", false, "with your version of the other exercises, not the book's")
	t.command.Flags().BoolVarP(&t.verbose, "verbose", "v", false, "print all that the tests that fail print")
	t.command.Flags().BoolVar(&t.look, "look", false, "look into a test that fails: your run beside the book's, in a page")
	t.command.Flags().BoolVar(&t.open, "open", false, "the same, and open the page in the browser")
	t.command.Flags().BoolVar(&t.show, "show", false, "of a prediction: print what the run says where yours is another")
	return t.command
}

// test judges one exercise. It returns the page with the runs of a test that fails, if
// they are looked at.
func (t tester) test(ctx context.Context, number string) (page *tracediff.Page, err error) {
	out := paperOf(t.command)
	held := &held{to: out.raw}
	defer held.release()
	v := verdict{out: out, verbose: t.verbose, show: t.show, said: map[string]bool{}}
	told := false
	telling := t.telling(&v, held)
	telling.Looks = func(done workspace.Tested) { told = true; v.is(done) }
	done, err := t.Test(ctx, number, t.mine, telling)
	switch {
	case err != nil:
		return nil, err
	case telling.Glances && done.Seen != nil:
		sayWhereRunsPart(out, held, done)
	case done.Compared != nil:
		v.compared(done)
		if t.look || t.open {
			fmt.Fprintln(v.out, "\nA prediction has no cluster to look into: the run is on its page.")
		}
	case done.Seen != nil:
		page, err = runsOf(v.out, done.Seen)
	case !told:
		v.is(done)
	}
	held.release()
	switch {
	case err != nil:
		return nil, err
	case !done.Result.Passed():
		return page, notPassed
	case done.Own:
		return nil, tellNext(ctx, t.command, t.Workspace, number, done.Exercise.Right)
	}
	return nil, nil
}

// telling returns a Telling that prints a verdict. Unless somebody looks into the runs,
// it holds the lines back for a moment, so that the step in which the runs part can
// stand above them.
func (t tester) telling(v *verdict, held *held) workspace.Telling {
	glances := !t.look && !t.open
	return workspace.Telling{Begins: func(begun workspace.Tested) {
		v.assertion = func(at string) string { return t.Assertion(begun.Exercise, at) }
		v.input = func(at string, names ...string) string { return t.Input(begun.Exercise, at, names...) }
		v.exercise = begun.Exercise
		v.begins(begun)
		if glances {
			v.out.raw = held
			time.AfterFunc(beforehand, held.release)
		}
	}, Ended: func(test trial.Test) { v.ended(test) }, Glances: glances}
}

// testAll judges every exercise that is started, each by itself, in a line.
func (t tester) testAll(ctx context.Context) error {
	lines, err := t.Overview(ctx)
	if err != nil {
		return err
	}
	out := paperOf(t.command)
	tested, failed := 0, 0
	for _, line := range lines {
		if !line.IsStarted() || line.Exercise.Kind == exercise.Design {
			continue
		}
		done, err := t.Test(ctx, line.Exercise.Number, t.mine,
			workspace.Telling{Begins: func(workspace.Tested) {}, Ended: func(trial.Test) {}})
		if err != nil {
			return err
		}
		tested++
		if !done.Result.Passed() {
			failed++
		}
		fmt.Fprintf(out, "%s %s: %s%s\n", tick(done.Result.Passed()), heading(line.Exercise), done.Result, remark(done))
	}
	switch {
	case tested == 0:
		fmt.Fprintf(out, "No exercise is started. The next one: %snext\n", byHand)
	case failed > 0:
		return notPassed
	}
	return nil
}

// remark returns the outcome in a word.
func remark(done workspace.Tested) string {
	switch {
	case done.Compared != nil:
		return ""
	case !done.Own:
		return ", and the functions are the book's"
	case len(done.Empty) > 0:
		return ", and " + english.List(done.Empty) + " " + is(done.Empty) + " still to be written"
	case done.LooksLike != nil:
		return fmt.Sprintf(", and it looks like %q", done.LooksLike.Name)
	}
	return ""
}

const allPassed = "That was the last one: you have passed them all."

// courseEnds is what stands at the end of a course.
const courseEnds = `
That was the last exercise of the course. Read on: chapters/after-the-course.md, which is
after-the-course.html in the book, says what you've had in your fingers, what it's called
in Kubernetes, and where your own controller stands beside one of Kubernetes'.
`

func tellNext(ctx context.Context, command *cobra.Command, w *workspace.Workspace, number string, others []exercise.Answer) error {
	out := paperOf(command)
	fmt.Fprintf(out, "\nWell done. Compare with the book's answer: %ssolution %s\n", byHand, number)
	if len(others) > 0 {
		fmt.Fprintf(out, "Others have written it like this: %ssolution %s --others\n", byHand, number)
	}
	if ended, err := w.CourseEnds(ctx, number); err != nil || ended {
		fmt.Fprint(out, courseEnds)
		return err
	}
	next, err := w.Next(ctx, number)
	if err != nil {
		return err
	}
	if next == nil {
		fmt.Fprintln(out, allPassed)
		return nil
	}
	fmt.Fprintf(out, "Next: %s (%s): %snext\n", next.Title, next.Span, byHand)
	return nil
}

func newWatchCommand() *cobra.Command {
	return oneExercise(&cobra.Command{
		Use:   "watch [NUMBER]",
		Short: "Run an exercise's tests again after every save",
		Long: `Run an exercise's tests now, and again whenever a Go file of its chapter is
saved. Without a number, it is the exercise that you started last. Ctrl-C ends it.`,
		Example: examples("watch", "watch 1b"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := openToBuild(command)
			if err != nil {
				return err
			}
			number, err := latestOr(command.Context(), w, arguments)
			if err != nil {
				return err
			}
			return watch(command, w, number)
		},
	}, false)
}

// latestOr returns the number that was asked for or, without one, that of the
// exercise that was started last.
func latestOr(ctx context.Context, w *workspace.Workspace, arguments []string) (string, error) {
	if len(arguments) > 0 {
		return arguments[0], nil
	}
	return w.Latest(ctx)
}

func watch(command *cobra.Command, w *workspace.Workspace, number string) error {
	out := paperOf(command)
	return w.Watch(command.Context(), number, func(ctx context.Context) {
		_, err := tester{command: command, Workspace: w}.test(ctx, number)
		if ctx.Err() != nil {
			return // ended by ctrl-C, or by a save that begins anew
		}
		if err != nil && !errors.Is(err, notPassed) {
			fmt.Fprintln(command.ErrOrStderr(), "lab:", err)
		}
		fmt.Fprint(out, "\nWaiting for a save; ctrl-C ends.\n\n")
	})
}
