package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"reconcile/cmd/lab/program"
	"reconcile/internal/workshop/ready"
)

// newDoctorCommand returns the command that examines this machine. For a
// workshop it needs no chapter; the rest is the other program's.
func newDoctorCommand(become func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say what this machine lacks to run real containers or, with --workshop, the exercises",
		DisableFlagParsing: true,
		RunE: func(command *cobra.Command, arguments []string) error {
			if !slices.Equal(arguments, []string{"--workshop"}) {
				return become(command, arguments)
			}
			return examine(command)
		},
	}
}

func examine(command *cobra.Command) error {
	w, err := openToBuild(command)
	if err != nil {
		return err
	}
	out := command.OutOrStdout()
	fmt.Fprintln(out, "Building, testing and starting a lab; the first time that takes some minutes.")
	findings := ready.Examine(command.Context(), ready.Machine{
		Getenv: os.Getenv, LookPath: exec.LookPath, Now: time.Now,
		Size: func() (int, int, error) { return term.GetSize(int(os.Stdout.Fd())) },
		Go:   ready.Here(w.Root(), os.Environ()),
		Lab: func(ctx context.Context) error {
			path, err := cluster.find(command, w.Root())
			if code := program.ExitCode(0); errors.As(err, &code) {
				return errors.New("it is not compiled, as said above")
			}
			if err != nil {
				return err
			}
			return startOnce(ctx, path)
		},
	})
	if err := command.Context().Err(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	ready.Print(out, findings)
	if ready.Stops(findings) {
		return notPassed
	}
	return nil
}

// startOnce starts a lab that has nothing in common with another, and ends it when
// it is up.
func startOnce(ctx context.Context, path string) error {
	folder, err := os.MkdirTemp("", "lab-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ctx, end := context.WithCancel(ctx)
	defer end()
	lab := exec.CommandContext(ctx, path, "up", "--kubeconfig", filepath.Join(folder, "kubeconfig"))
	if runtime.GOOS != "windows" { // which interrupts no process
		lab.Cancel = func() error { return lab.Process.Signal(os.Interrupt) }
	}
	var said bytes.Buffer
	lab.Stderr = &said
	out, err := lab.StdoutPipe()
	if err != nil {
		return err
	}
	if err := lab.Start(); err != nil {
		return err
	}
	isUp := bufio.NewScanner(out).Scan() // it says where it is
	end()
	_, _ = io.Copy(io.Discard, out) // until it has ended
	if err := lab.Wait(); !isUp {
		return fmt.Errorf("it ended before it was up: %s", cmp.Or(strings.TrimSpace(said.String()), fmt.Sprint(err)))
	}
	return nil
}
