package kubectl

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubectl/pkg/cmd/cp"
	"k8s.io/kubectl/pkg/cmd/exec"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// waitForTar makes `kubectl cp` wait until tar has ended in the container, and end
// as it did. By itself it ends with the archive, and if tar has not found the file,
// that is empty: the copy of nothing succeeds
// (https://github.com/kubernetes/kubectl/issues/980).
func waitForTar(
	root *cobra.Command, flags *genericclioptions.ConfigFlags,
	streams genericiooptions.IOStreams,
) {
	f := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags))
	command, _, err := root.Find([]string{"cp"})
	cmdutil.CheckErr(err)
	command.Run = func(command *cobra.Command, args []string) {
		o := cp.NewCopyOptions(streams)
		o.Container = cmdutil.GetFlagString(command, "container")
		o.NoPreserve = cmdutil.GetFlagBool(command, "no-preserve")
		o.MaxTries = cmdutil.GetFlagInt(command, "retries")
		cmdutil.CheckErr(o.Complete(f, command, args))
		tar := newTar(o.Executor)
		o.Executor = tar
		cmdutil.CheckErr(o.Validate())
		cmdutil.CheckErr(o.Run())
		cmdutil.CheckErr(tar.wait())
	}
}

// tar is an executor that can be waited for.
type tar struct {
	exec.RemoteExecutor
	enough  context.Context // ends when the archive was read
	stop    func()
	running sync.WaitGroup

	mu  sync.Mutex
	err error // of the last that has ended
}

func newTar(executor exec.RemoteExecutor) *tar {
	t := &tar{RemoteExecutor: executor}
	t.enough, t.stop = context.WithCancel(context.Background())
	return t
}

// Execute implements exec.RemoteExecutor.
func (t *tar) Execute(
	url *url.URL, config *rest.Config, stdin io.Reader, stdout, stderr io.Writer,
	tty bool, sizes remotecommand.TerminalSizeQueue,
) error {
	t.running.Add(1)
	defer t.running.Done()
	if pipe, ok := stdout.(*io.PipeWriter); ok {
		defer context.AfterFunc(t.enough, func() { pipe.Close() })()
		stdout = padded{pipe}
	}
	err := t.RemoteExecutor.Execute(url, config, stdin, stdout, stderr, tty, sizes)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	return err
}

// wait returns how the last command has ended.
func (t *tar) wait() error {
	t.stop()
	t.running.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// padded is a pipe for an archive. What comes after the archive's end is not read
// any more: tar fills up its last block.
type padded struct{ *io.PipeWriter }

// Write implements io.Writer.
func (p padded) Write(text []byte) (int, error) {
	_, err := p.PipeWriter.Write(text)
	if errors.Is(err, io.ErrClosedPipe) {
		err = nil
	}
	return len(text), err
}
