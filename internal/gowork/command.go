package gowork

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// Env returns a setting of the go tool.
func Env(ctx context.Context, name string) (string, error) {
	value, err := Command(ctx, "env", name).Output()
	return strings.TrimSpace(string(value)), err
}

// LinkDownloaded has this process, and those it starts, reach Go by a link in folder if
// it's one that an older Go has downloaded: such a Go lies beneath GOMODCACHE, where
// -overlay may replace no file.
func LinkDownloaded(ctx context.Context, folder string) error {
	goroot, err := Env(ctx, "GOROOT")
	if err != nil {
		return err
	}
	modules, err := Env(ctx, "GOMODCACHE")
	if err != nil || !strings.HasPrefix(goroot, modules+string(filepath.Separator)) {
		return err
	}
	link := filepath.Join(folder, filepath.Base(goroot))
	if to, err := os.Readlink(link); err != nil || to != goroot {
		err = errors.Join(os.MkdirAll(folder, 0o755), os.RemoveAll(link), os.Symlink(goroot, link))
		if err != nil {
			return fmt.Errorf("install this version of Go itself (https://go.dev/dl), since an older one has downloaded it, and there can be no link to it: %w", err)
		}
	}
	return errors.Join(
		os.Setenv("GOROOT", link), os.Setenv("GOTOOLCHAIN", "local"),
		os.Setenv("PATH", filepath.Join(link, "bin")+string(os.PathListSeparator)+os.Getenv("PATH")),
	)
}
