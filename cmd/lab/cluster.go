package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/gowork"
	"reconcile/internal/workshop/pack"
)

// tool is a program that contains the chapters: a folder of the book, and the
// program's name among the tools of the go.mod there.
type tool struct{ folder, name string }

var (
	cluster  = tool{".", "cluster"}
	takeover = tool{"takeover", "takeover"} // it has client-go, too
	judges   = tool{"judges", "judges"}     // it builds Kubernetes
)

// newClusterCommands returns the commands that need the chapters. Their flags
// and their help are the other programs'.
func newClusterCommands() []*cobra.Command {
	become := cluster.become
	return []*cobra.Command{
		{Use: "up", Short: "Start a cluster that kubectl can drive", DisableFlagParsing: true, RunE: become},
		{Use: "node", Short: "Add machines to the lab that runs, cut them off, switch them off and on", DisableFlagParsing: true, RunE: become},
		{Use: "loop", Short: "Pause the control loops of the lab that runs, step them, break them", DisableFlagParsing: true, RunE: become},
		{Use: "why", Short: "Say what an object of the lab that runs waits for", DisableFlagParsing: true, RunE: become},
		{Use: "image", Short: "Have an image of the lab that runs fail, and heal it", DisableFlagParsing: true, RunE: become},
		newDoctorCommand(become),
		{Use: "torture", Short: "Kill real databases in mid-write, and look what they still know", DisableFlagParsing: true, RunE: become},
		{Use: "kubectl", Short: "Run Kubernetes' own kubectl against the lab that runs", DisableFlagParsing: true, RunE: become},
		{Use: "controllers", Short: "Run the controllers on a cluster that you have, in the place of its own", DisableFlagParsing: true, RunE: takeover.become},
		{Use: "kubelets", Short: "Add simulated nodes to a cluster that you have", DisableFlagParsing: true, RunE: takeover.become},
		{Use: "conformance", Short: "Run Kubernetes' own tests of the book's kinds, against a lab or a cluster that you have", DisableFlagParsing: true, RunE: judges.become},
	}
}

// become becomes the program, which may have to be built first.
func (t tool) become(command *cobra.Command, arguments []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	book, err := workspace.Find(dir)
	if err != nil {
		return err
	}
	if t != cluster && byHand != inTheBook {
		return fmt.Errorf("%s is not in a folder that was packed for a workshop: its libraries have to be fetched; run it in a copy of the book, with a network", command.Name())
	}
	path, err := t.find(command, book.Root())
	if err != nil {
		return err
	}
	return become(path, append([]string{"lab", command.Name()}, arguments...))
}

// find returns the path of the program: of the packed one, while a build would give
// the same.
func (t tool) find(command *cobra.Command, root string) (string, error) {
	path, notPacked := pack.Program(root, t.name)
	if notPacked == nil {
		return path, nil
	}
	leaveGoWork(command, filepath.Join(root, t.folder))
	path, err := t.build(command, root)
	if errors.Is(err, gowork.ErrNoGo) && errors.Is(notPacked, pack.ErrChanged) {
		return "", fmt.Errorf("%w, so it has to be compiled, and %w; or put the book's code back: %sreset --all", notPacked, err, byHand)
	}
	return path, err
}

// patience is how long a build may take without a word.
const patience = 5 * time.Second

// build returns the path of the program. The go tool keeps it in its cache, and
// links it again only when something has changed.
func (t tool) build(command *cobra.Command, root string) (path string, err error) {
	slow := time.AfterFunc(patience, func() {
		fmt.Fprintln(command.ErrOrStderr(), "lab: waiting for the go tool, which compiles what has changed; the first time, with Kubernetes' libraries, that takes some minutes")
	})
	defer slow.Stop()
	build := gowork.Command(command.Context(), "tool", "-n", t.name)
	build.Dir = filepath.Join(root, t.folder)
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // it tidies up
	build.Stderr = command.ErrOrStderr()
	out, err := build.Output()
	if command.Context().Err() != nil {
		return "", context.Cause(command.Context())
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return "", program.ExitCode(1) // the go tool has said why
	}
	return strings.TrimSpace(string(out)), err
}
