package kubectl

import (
	"context"
	"io"

	"k8s.io/client-go/rest"
)

// Command is one command line, and where it is run.
type Command struct {
	Args []string // without the word kubectl

	// Kubeconfig is the default of --kubeconfig. "" leaves the choice to
	// kubectl: $KUBECONFIG, or ~/.kube/config.
	Kubeconfig string
	// Configure, if set, may change the configuration of every client that the
	// command makes: a Transport that needs no network, for example. The command
	// ends with its error.
	Configure func(*rest.Config) error
	// CacheDir is the folder in which kubectl keeps what it knows of the API;
	// "" is its own choice, ~/.kube/cache.
	CacheDir string

	In       io.Reader // nil: nothing to read
	Out, Err io.Writer // nil: thrown away
}

// Run runs a command line to its end and returns its exit code. When ctx ends,
// so do the requests that are under way, and everything that waits for them; a
// command that waits for nothing but its input does not notice.
func Run(ctx context.Context, c Command) int {
	c = c.withStreams()
	restore, err := c.readFromIn()
	if err != nil {
		return c.fail(err)
	}
	defer restore()
	ctx, end := context.WithCancel(ctx)
	defer end()
	return c.ending(end, func() error { return c.build(ctx).ExecuteContext(ctx) })
}

func (c Command) withStreams() Command {
	if c.In == nil {
		c.In = eof{}
	}
	if c.Out == nil {
		c.Out = io.Discard
	}
	if c.Err == nil {
		c.Err = io.Discard
	}
	return c
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
