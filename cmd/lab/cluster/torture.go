package main

import (
	"context"
	"errors"
	"io"
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
			return inRoom(command, opts, torture.Run)
		},
	}
	command.AddCommand(newFailoverCommand())
	flags := command.Flags()
	flags.IntVar(&opts.Rounds, "rounds", 10, "how often one of the servers is killed")
	flags.Uint64Var(&opts.Seed, "seed", 1, "chooses the victims and the moments")
	flags.StringSliceVar(&opts.Kill, "kill", torture.Killings(), "what is killed")
	flags.StringArrayVar(&opts.Options, "option", nil, "an option of both servers, name=value")
	return command
}

func newFailoverCommand() *cobra.Command {
	var opts torture.Options
	command := &cobra.Command{
		Use:   "failover",
		Short: "have whole clusters of real servers lose two masters each",
		Long: `Failover starts a lab of four machines with real containers. In each round it has a
cluster of three servers in it, with chapter 7's operator and a shop that places
orders without a pause, and it takes two masters away, one after the other: their
machine is switched off, or all machines are, and all others on again. Before that a
slave may have stopped to execute what it reads, or to read. Meanwhile the operator
is killed, at any of its statements, before or after the server has executed it.

In the end the orders are counted. None may be missing that the shop was told of, but
what was on a lost disk alone; no number may be given twice but those; and where no
slave of the lost master is left, nobody may be named. A round takes some ten minutes,
most of which a silent node is given.`,
		Example: `  go run ./cmd/lab torture failover --rounds 1
  go run ./cmd/lab torture failover --rounds 10 --seed 7`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if opts.Rounds < 1 {
				return errors.New("--rounds: no round to play")
			}
			return inRoom(command, opts, torture.RunFailovers)
		},
	}
	flags := command.Flags()
	flags.IntVar(&opts.Rounds, "rounds", 1, "how many clusters lose two masters")
	flags.Uint64Var(&opts.Seed, "seed", 1, "chooses what happens to them")
	return command
}

// inRoom looks whether real containers can run, and has a torture run, here or in a room.
func inRoom(
	command *cobra.Command, opts torture.Options,
	run func(context.Context, torture.Options, io.Writer, io.Writer) error,
) error {
	if up.WantsRoom(up.Options{Runtime: "runc"}) {
		m := examined("runc", "", "")
		m.Lab = func() int { return 0 } // it may run beside one
		if err := runsContainers(command, m); err != nil {
			return err
		}
	}
	err := run(command.Context(), opts, command.OutOrStdout(), command.ErrOrStderr())
	var room *exec.ExitError
	switch {
	case errors.Is(err, torture.ErrViolated):
		return program.ExitCode(1)
	case errors.As(err, &room) && room.Exited():
		return program.ExitCode(room.ExitCode())
	}
	return err
}
