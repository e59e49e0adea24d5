package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/lab/doctor"
	"reconcile/internal/lab/up"
)

// inside is the flag by which doctor calls itself in a room.
const inside = "inside"

func newDoctorCommand() *cobra.Command {
	var runtime, kubeconfig, snapshot string
	var isInside bool
	real := up.Runtimes()[1:]
	command := &cobra.Command{
		Use: "doctor",
		Long: `Doctor says what this machine lacks to run containers that are real, with lab up
--runtime runc, and how one gets it. It tries what it can: namespaces, a network
in them, the kernel's rules. What it makes for that is gone when it ends.

The images are assembled from programs that are installed here. A lab starts
without them; Pods that want them say what is missing.

Which lab runs already, and how much room there is, depends on --kubeconfig and
--snapshot. Say what lab up is to be told.`,
		Example: `  go run ./cmd/lab doctor
  go run ./cmd/lab doctor --runtime crun`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if isInside {
				doctor.Inside()
				return nil
			}
			if !slices.Contains(real, runtime) {
				return fmt.Errorf("--runtime: containers are made real by %s, not by %q",
					strings.Join(real, " or "), runtime)
			}
			found := doctor.Examine(command.Context(),
				examined(runtime, kubeconfig, snapshot))
			if err := command.Context().Err(); err != nil {
				return err
			}
			printFindings(command.OutOrStdout(), found)
			if doctor.Stops(found) {
				return program.ExitCode(1)
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&runtime, "runtime", "runc", "which runtime it is about: "+strings.Join(real, " or "))
	flags.StringVar(&kubeconfig, "kubeconfig", "", "that of the lab to be started")
	flags.StringVar(&snapshot, "snapshot", "", "that of the lab to be started")
	flags.BoolVar(&isInside, inside, false, "be the process in the room")
	_ = flags.MarkHidden(inside) // it exists
	return command
}

// examined returns this machine, for a lab that has these files, or the usual
// ones; in a room, this program is doctor --inside.
func examined(runtime, kubeconfig, snapshot string) doctor.Machine {
	return doctor.ThisMachine(doctor.Lab{
		Runtime: runtime, Kubeconfig: kubeconfig,
		Data: cmp.Or(snapshot, kubeconfig),
	}, "doctor", "--"+inside)
}

// printFindings prints the findings, whose remedies name lab.
func printFindings(out io.Writer, found []doctor.Finding) {
	var text strings.Builder
	doctor.Print(&text, found)
	fmt.Fprint(out, program.AsCalled(text.String()))
}

// runsContainers returns an error if this machine cannot run containers that are
// real, after it has told what is missing.
func runsContainers(command *cobra.Command, m doctor.Machine) error {
	found := doctor.Examine(command.Context(), m)
	if err := command.Context().Err(); err != nil {
		return err // what was being tried has failed for that
	}
	if doctor.Stops(found) {
		printFindings(command.ErrOrStderr(), found)
		return program.ExitCode(1)
	}
	return nil
}
