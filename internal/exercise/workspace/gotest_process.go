//go:build !js

package workspace

import (
	"cmp"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"reconcile/internal/exercise/trial"
)

// testTimeout ends tests that an answer never lets go of, if nothing else has.
const testTimeout = time.Minute

// start starts the tests. end waits until they have ended, and returns their exit code.
func (r testRun) start(
	ctx context.Context, environment []string, arguments ...string,
) (printed io.Reader, end func() int, err error) {
	command := exec.CommandContext(ctx, r.binary, arguments...)
	command.Dir, command.Env = r.folder, append(environment, trial.Temporary(r.binary)...)
	endTogether(command)
	command.WaitDelay = 2 * time.Second
	if printed, err = command.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		platform := runtime.GOOS + "/" + runtime.GOARCH
		return nil, nil, cmp.Or(trial.Obstacle(ctx, r.folder, filepath.Dir(r.binary), err.Error(), platform), err)
	}
	return printed, func() int {
		_ = command.Wait() // its error is the exit code
		return command.ProcessState.ExitCode()
	}, nil
}
