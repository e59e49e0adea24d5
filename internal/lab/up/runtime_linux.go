package up

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vishvananda/netns"

	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/rootfs"
	"reconcile/internal/filelock"
	"reconcile/internal/httpserve"
	"reconcile/internal/lab"
)

func inRoom() bool { return oci.InRoom() }

func holdsLimits() bool { return oci.HoldsLimits() }

// enterRoom runs this program once more, in a room of its own that has the ports,
// and returns when that has ended. Its error is an EndedError if the lab in the
// room has said already why it ended.
func enterRoom(ctx context.Context, opts Options, p *ports) error {
	files, err := p.files()
	if err != nil {
		return err
	}
	outside, err := os.Open("/proc/self/ns/net")
	if err != nil {
		return err
	}
	files = append(files, outside)
	if opts.Open {
		told, err := openWhenTold(opts.Out)
		if err != nil {
			return err
		}
		files = append(files, told)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := oci.NewRoom(ctx, os.Args[1:]...)
	command.ExtraFiles = files
	command.Env = append(command.Env,
		fmt.Sprintf("%s=%d", filelock.PIDVariable, os.Getpid()))
	err = command.Start()
	for _, file := range files {
		file.Close()
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		return fmt.Errorf("begin a process in namespaces of its own: %w; "+
			"lab doctor says what is missing", err)
	}
	return howItEnded(ctx, command)
}

// openWhenTold returns a file for the room, from which a browser is opened at the
// address that tellOutside writes.
func openWhenTold(out io.Writer) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { // ends with the room
		defer read.Close()
		if address, _ := io.ReadAll(read); len(address) > 0 {
			httpserve.OpenBrowser(out, string(address))
		}
	}()
	return write, nil
}

// tellOutside has the process that began the room open an address.
func tellOutside(address string) {
	told := os.NewFile(firstInherited+4, "told")
	_, _ = io.WriteString(told, address) // it's printed, too
	told.Close()
}

// byGo is the exit code of a Go program that is process 1 and is told to end
// before it could ask to hear of that.
const byGo = 2

// howItEnded waits for the lab in the room. One that was killed, or had to end
// before it listened, has not said why.
func howItEnded(ctx context.Context, command *exec.Cmd) error {
	err := command.Wait()
	var ended *exec.ExitError
	switch {
	case command.ProcessState.Success():
		return nil // also when ctx has ended it
	case !errors.As(err, &ended):
		return err
	case ctx.Err() != nil && (!ended.Exited() || ended.ExitCode() == byGo):
		return ctx.Err()
	case !ended.Exited():
		return fmt.Errorf("the lab in its room, process %d: %w; its containers "+
			"have ended with it", command.Process.Pid, err)
	}
	return EndedError(ended.ExitCode())
}

// furnishRoom makes the machines of a lab real. Beside its kubeconfig is a folder
// for their files, and for volumes that are not kept; it first removes those that
// another lab left there when it was killed.
func furnishRoom(
	ctx context.Context, opts Options, kubeconfig string, to *lab.Options,
	stops *undo,
) (*names, error) {
	folder := kubeconfig + "-run"
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := oci.FurnishRoom(); err != nil {
		return nil, err
	}
	stops.add(func() error {
		_ = os.RemoveAll(folder) // the next lab does it again
		return nil
	})
	machines, err := lab.NewProcesses(ctx, oci.Config{
		State: filepath.Join(folder, "state"), Command: opts.Runtime,
		Images: imagesOf(opts.Images, filepath.Join(folder, "images")),
	}, opts.Err)
	if err != nil {
		return nil, err
	}
	stops.add(machines.Close)
	to.Hardware = machines
	if to.Folder == "" {
		to.Folder = filepath.Join(folder, "volumes")
	}
	packets, connections, err := machines.ListenForNames()
	if err != nil {
		return nil, err
	}
	return &names{packets, connections}, nil
}

// imagesOf returns where images come from; knowsImages has checked source.
func imagesOf(source, folder string) oci.Images {
	kind, where, _ := strings.Cut(source, ":")
	switch kind {
	case fromLayout:
		return &image.Fetched{Folder: folder, Layout: where}
	case fromRegistry:
		return &image.Fetched{Folder: folder, Mirror: where, Way: wayOut()}
	}
	return &image.Assembled{Usr: "/usr", Links: rootfs.Shared{Folder: folder}}
}

// wayOut returns a transport that leads out of the room, which has no way
// itself: each connection is made by a thread that has gone back to where the
// lab was begun. Only a process that was root there may.
func wayOut() http.RoundTripper {
	outside := os.NewFile(firstInherited+3, "outside")
	dial := func(ctx context.Context, network, at string) (c net.Conn, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // for good: the thread ends with the goroutine
			if err = netns.Set(netns.NsHandle(outside.Fd())); err == nil {
				c, err = (&net.Dialer{}).DialContext(ctx, network, at)
			}
		}()
		<-done
		return c, err
	}
	names := &net.Resolver{PreferGo: true, Dial: dial}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = func(
		ctx context.Context, _, at string,
	) (net.Conn, error) {
		host, port, err := net.SplitHostPort(at)
		if err != nil {
			return nil, err
		}
		found, err := names.LookupIP(ctx, "ip4", host)
		if err != nil {
			return nil, err
		}
		return dial(ctx, "tcp4", net.JoinHostPort(found[0].String(), port))
	}
	return transport
}
