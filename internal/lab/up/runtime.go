package up

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// DefaultRuntime is in memory. The others are programs of a Linux.
const DefaultRuntime = "simulated"

// Runtimes returns the names of the programs that can run containers.
func Runtimes() []string { return []string{DefaultRuntime, "runc", "crun"} }

func knowsRuntime(name string) error {
	if name != "" && !slices.Contains(Runtimes(), name) {
		return fmt.Errorf("there is no runtime %q; there are %s", name,
			strings.Join(Runtimes(), ", "))
	}
	return nil
}

// Images of a real runtime come from one of these: the programs installed on
// this machine, a folder in the form that OCI has for it, oci:FOLDER, or
// registries. registry:AT is one that stands for all of them.
const (
	DefaultImages = "installed"
	fromLayout    = "oci"
	fromRegistry  = "registry"
)

func knowsImages(opts Options) error {
	kind, where, _ := strings.Cut(opts.Images, ":")
	switch {
	case opts.Images == "" || opts.Images == DefaultImages:
		return nil
	case !isReal(opts.Runtime):
		return fmt.Errorf("simulated images are those of the book; " +
			"others want --runtime runc")
	case kind == fromLayout && where != "":
		return nil
	case kind != fromRegistry:
		return fmt.Errorf("%q is none of %s, %s:FOLDER, %s and %s:HOST:PORT",
			opts.Images, DefaultImages, fromLayout, fromRegistry, fromRegistry)
	case os.Getuid() != 0:
		return fmt.Errorf("only root reaches a registry from where the " +
			"containers are; fetch images into a folder, and name it, oci:FOLDER")
	}
	return nil
}

// EndedError is the exit code of a lab that has run in a room of its own, and has
// said there why it ended.
type EndedError int

// Error implements error.
func (e EndedError) Error() string {
	return fmt.Sprintf("the lab in its room has ended with exit code %d", int(e))
}

func isReal(runtime string) bool {
	return runtime != "" && runtime != DefaultRuntime
}

// WantsRoom reports whether Run will begin this program once more, in a room of
// its own.
func WantsRoom(opts Options) bool {
	return isReal(opts.Runtime) && knowsRuntime(opts.Runtime) == nil && !inRoom()
}
