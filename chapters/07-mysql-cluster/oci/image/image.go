package image

import "github.com/opencontainers/runtime-spec/specs-go"

// Image is an image whose files are at hand, and what its author has said
// about running it.
type Image struct {
	Name, ID             string // the ID is a digest
	Entrypoint, Cmd, Env []string
	WorkingDir           string
	User                 string // "27" or "27:27"; empty: root
	StopSignal           string // "SIGQUIT"; empty: SIGTERM

	// Root lays the image's files into an empty folder, where a container may
	// write as it likes, and returns what is to be mounted there before a Pod's
	// own volumes.
	Root func(dir string) ([]specs.Mount, error)
	// Release undoes what Root has mounted on the folder itself; nil: nothing.
	Release func(dir string) error
}
