//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"

	"reconcile/cmd/lab/program"
)

// become runs another program to its end, in place of this one. Ctrl-C reaches
// all programs of a console there.
func become(path string, arguments []string) error {
	command := exec.Command(path, arguments[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return program.ExitCode(exit.ExitCode())
	}
	return err
}
