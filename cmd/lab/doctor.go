package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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
	fmt.Fprintln(out, "Building and testing; the first time that takes a minute or two.")
	findings := ready.Examine(command.Context(), ready.Machine{
		Getenv: os.Getenv, LookPath: exec.LookPath, Now: time.Now,
		Size: func() (int, int, error) { return term.GetSize(int(os.Stdout.Fd())) },
		Go:   ready.Here(w.Root(), os.Environ()),
	})
	if err := command.Context().Err(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	ready.Tell(out, findings)
	if ready.Stops(findings) {
		return notPassed
	}
	return nil
}
