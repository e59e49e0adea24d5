package simulated

import (
	"context"
	"fmt"

	"reconcile/chapters/01-control-loop/kubelet"
)

// Program runs in a simulated container. It ends when its work is done
// or, when it is asked to, soon after ctx ends; it returns its exit
// code.
type Program func(ctx context.Context, p *Process) int

// Registry gives a simulated node its images.
type Registry interface {
	// Pull returns the program for a process that is about to start. It may
	// take its time. The error is a *PullError when the image cannot be had,
	// and a *StartError when there is no such program in it.
	Pull(ctx context.Context, p *Process) (Program, error)
}

// Images is the simplest Registry: programs by the name of their image.
type Images map[string]Program

// Pull implements Registry.
func (i Images) Pull(_ context.Context, p *Process) (Program, error) {
	image := p.Container.Image
	if program := i[image]; program != nil {
		return program, nil
	}
	return nil, &kubelet.PullError{
		Image: image, Reason: fmt.Sprintf("%s: not found", image),
	}
}

// Image is a program, and the commands that can be run beside it, by name. A
// runtime that has a shell offers them there.
type Image struct {
	Program  Program
	Commands map[string]Program
}

// Run implements Program: it runs the image's, in a container where the image's
// commands can be run.
func (i Image) Run(ctx context.Context, p *Process) int {
	p.HandleExec(i.exec)
	return i.Program(ctx, p)
}

func (i Image) exec(ctx context.Context, p *Process) int {
	command := i.Commands[p.Args[0]]
	if command == nil {
		fmt.Fprintf(p.Stderr, "%s: not found\n", p.Args[0])
		return 127
	}
	return command(ctx, p)
}
