package gowork

import (
	"context"
	"errors"
	"os/exec"
)

// ErrNoGo is the error of a Command where there is no go tool.
var ErrNoGo = errors.New("there is no go in the PATH: install Go 1.26 or newer (https://go.dev/dl), and open a new terminal")

// Command returns the go tool with its arguments, to be run.
func Command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", arguments...)
	if errors.Is(command.Err, exec.ErrNotFound) {
		command.Err = ErrNoGo
	}
	return command
}
