package main

import (
	"strings"

	"github.com/spf13/cobra"

	"reconcile/internal/lab/doctor"
	"reconcile/internal/lab/up"
)

// inside is the flag by which doctor calls itself in a room.
const inside = "inside"

func newDoctorCommand() *cobra.Command {
	var runtime string
	var isInside bool
	command := &cobra.Command{
		Use: "doctor",
		Long: `Doctor says what this machine lacks to run containers that are real, with lab up
--runtime runc, and how one gets it. It tries what it can: namespaces, a network
in them, the kernel's rules. What it makes for that is gone when it ends.

The images are assembled from programs that are installed here. A lab starts
without them; Pods that want them say what is missing.`,
		Example: `  go run ./cmd/lab doctor
  go run ./cmd/lab doctor --runtime crun`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if isInside {
				doctor.Inside()
				return nil
			}
			found := doctor.Examine(command.Context(), examined(runtime))
			doctor.Tell(command.OutOrStdout(), found)
			if doctor.Stops(found) {
				return exitCode(1)
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&runtime, "runtime", "runc", "which runtime it is about: "+strings.Join(up.Runtimes()[1:], " or "))
	flags.BoolVar(&isInside, inside, false, "be the process in the room")
	_ = flags.MarkHidden(inside) // it is there
	return command
}

// examined is this machine; in a room, this program is doctor --inside.
func examined(runtime string) doctor.Machine {
	return doctor.This(runtime, "doctor", "--"+inside)
}
