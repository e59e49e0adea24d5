package main

import (
	"errors"
	"os/exec"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/lab/torture"
	"reconcile/internal/lab/up"
)

func newTortureCommand() *cobra.Command {
	var opts torture.Options
	command := &cobra.Command{
		Use: "torture",
		Long: `Torture starts a master and a slave, real ones, in containers of their own, and
writes to the master without a pause. In each round it kills one of the two, with
kill -9, in the midst of that, starts it again, and looks: each row that the
master has acknowledged has to be there, and the slave, once it has caught up, has
to have the same rows and no others.

It kills mysqld, the whole container, or the Pod with its address; --kill takes
one or several of them. The same --seed chooses the same victims and the same
moments, as far as two processes let themselves be told when.

--option is for the servers: with slave_exec_mode=STRICT, which is the default of
MariaDB and of MySQL, and not of the image, it takes some rounds until a slave
that was killed between its commit and its note of it stops for good.

Everything is in memory and in namespaces of its own: when it ends, however it
ends, nothing is left. It wants Linux, and what lab doctor asks for.`,
		Example: `  go run ./cmd/lab torture --rounds 10
  go run ./cmd/lab torture --rounds 200 --seed 7 --kill pod
  go run ./cmd/lab torture --rounds 200 --option slave_exec_mode=STRICT`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := opts.Check(); err != nil {
				return err
			}
			if up.WantsRoom(up.Options{Runtime: "runc"}) {
				m := examined("runc", "", "")
				m.Lab = func() int { return 0 } // it may run beside one
				if err := runsContainers(command, m); err != nil {
					return err
				}
			}
			err := torture.Run(command.Context(), opts,
				command.OutOrStdout(), command.ErrOrStderr())
			var room *exec.ExitError
			switch {
			case errors.Is(err, torture.ErrViolated):
				return program.ExitCode(1)
			case errors.As(err, &room) && room.Exited():
				return program.ExitCode(room.ExitCode())
			}
			return err
		},
	}
	flags := command.Flags()
	flags.IntVar(&opts.Rounds, "rounds", 10, "how often one of the servers is killed")
	flags.Uint64Var(&opts.Seed, "seed", 1, "chooses the victims and the moments")
	flags.StringSliceVar(&opts.Kill, "kill", torture.Killings(), "what is killed")
	flags.StringArrayVar(&opts.Options, "option", nil, "an option of both servers, name=value")
	return command
}
