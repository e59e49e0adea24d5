package torture

import (
	"context"
	"io"
	"sync"

	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/internal/lab"
)

// RunFailovers runs this program again in a room of its own, and there plays Failovers
// with real servers. Its errors are Run's.
func RunFailovers(ctx context.Context, opts Options, out, errs io.Writer) error {
	if !oci.InRoom() {
		return enterRoom(ctx, out, errs)
	}
	if err := oci.FurnishRoom(); err != nil {
		return err
	}
	hardware, err := lab.NewProcesses(ctx, oci.Config{
		State: folder + "/state", Images: &image.Assembled{Usr: "/usr"},
	}, errs)
	if err != nil {
		return err
	}
	defer hardware.Close()
	packets, connections, err := hardware.ListenForNames()
	if err != nil {
		return err
	}
	l, err := lab.New(lab.Options{Nodes: Machines, Hardware: hardware, Folder: folder + "/volumes"})
	if err != nil {
		return err
	}
	defer l.Close()
	working, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { l.Run(working) })
	running.Go(func() { _ = l.Names().Serve(working, packets, connections) }) // it ends with the room
	return Failovers(ctx, l, hardware.Dial, false, opts, out)
}
