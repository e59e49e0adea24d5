package images

import (
	"context"
	"maps"
	"strings"
	"syscall"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/images/commands"
	"reconcile/internal/images/unix"
)

// entryProgram is where an image has the program that it starts with.
const entryProgram = "/entrypoint"

// made returns a chapter's image on top of Debian's, in whose shell its
// commands can be run, and ncat. The arguments of a container go to the image's
// program, or are run as a command if the first of them names one.
func made(of simulated.Image) *image {
	programs := map[string]simulated.Program{}
	for name, program := range of.Commands {
		programs["/usr/bin/"+name] = program
	}
	if of.Program != nil {
		programs[entryProgram] = of.Program
	}
	files := map[string]unix.Command{"/usr/bin/ncat": commands.Ncat}
	for file := range programs {
		files[file] = nil // each container puts its own there
	}
	i := debianImage().with(files)
	i.programs = programs
	if of.Program == nil {
		i.cmd = []string{"bash"}
	} else {
		i.entrypoint = []string{entryProgram}
	}
	return i
}

// commands returns the commands that can be run in a container, by path.
func (c *container) commands() map[string]unix.Command {
	all := maps.Clone(c.image.commands)
	for file, program := range c.image.programs {
		all[file] = c.command(program)
		if file == entryProgram {
			all[file] = orElse(all[file])
		}
	}
	return all
}

// orElse returns the command that an image starts with: it runs program or, if
// its first argument is the name of another command, that one instead.
func orElse(program unix.Command) unix.Command {
	return func(ctx context.Context, p *unix.Process) int {
		if len(p.Args) > 1 && !strings.HasPrefix(p.Args[1], "-") {
			if code, err := p.Become(ctx, p.Args[1:]); err == nil {
				return code
			}
		}
		return program(ctx, p)
	}
}

// command returns a command that runs a chapter's program as one of the
// container's processes.
func (c *container) command(program simulated.Program) unix.Command {
	return func(ctx context.Context, p *unix.Process) int {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		p.Catch(func(syscall.Signal) { cancel() })
		inside := c.self.Beside(p.Args...)
		inside.Env, inside.Dir = p.Env, p.Dir
		inside.Stdin, inside.Stdout, inside.Stderr = p.Stdin, p.Stdout, p.Stderr
		return program(ctx, inside)
	}
}
