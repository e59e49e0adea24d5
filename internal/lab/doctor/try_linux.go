package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/internal/filelock"
	"reconcile/internal/lab"
)

// ThisMachine returns the machine that we are on, for a lab. arguments are those by
// which this program calls Inside, in the room.
func ThisMachine(l Lab, arguments ...string) Machine {
	return Machine{
		OS: runtime.GOOS, UID: os.Getuid(), Runtime: l.Runtime,
		Files: os.DirFS("/"), LookPath: lookPath,
		Free: func() (uint64, error) { return free(l.Data) },
		Lab:  func() int { return labThatRuns(l.Kubeconfig) },
		Try: func(ctx context.Context) (map[string]string, error) {
			return try(ctx, arguments)
		},
	}
}

// lookPath looks beyond the PATH of an ordinary user, too: system programs are
// in folders of root's.
func lookPath(program string) (string, error) {
	path, err := exec.LookPath(program)
	for _, folder := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if err != nil {
			path, err = exec.LookPath(filepath.Join(folder, program))
		}
	}
	return path, err
}

// usual returns a path, or that of the kubeconfig of a lab that was not told
// where.
func usual(path string) (string, error) {
	if path == "" {
		return lab.Kubeconfig()
	}
	return filepath.Abs(path)
}

// free returns how much space there is beside a file, where volumes are. Its
// folder may not exist yet.
func free(beside string) (uint64, error) {
	path, err := usual(beside)
	if err != nil {
		return 0, err
	}
	var fs unix.Statfs_t
	for {
		path = filepath.Dir(path)
		err := unix.Statfs(path, &fs)
		if !errors.Is(err, unix.ENOENT) {
			return fs.Bavail * uint64(fs.Bsize), err
		}
	}
}

func labThatRuns(kubeconfig string) int {
	path, err := usual(kubeconfig)
	if err != nil {
		return 0
	}
	lock := path + ".lab-lock"
	if _, err := os.Stat(lock); err != nil {
		return 0
	}
	release, err := filelock.TryLock(lock)
	if err == nil {
		release()
		return 0
	}
	return filelock.Holder(lock)
}

// try begins a room, and hears there from Inside.
func try(ctx context.Context, arguments []string) (map[string]string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := oci.NewRoom(ctx, arguments...)
	var out bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = nil, &out, &out
	if err := command.Run(); err != nil {
		return nil, whyNone(err, strings.TrimSpace(out.String()))
	}
	failed := map[string]string{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		step, why, _ := strings.Cut(lines.Text(), ": ")
		failed[step] = why
	}
	return failed, nil
}

// whyNone returns why there is no room: Linux' error, and the words of the
// process in it.
func whyNone(err error, said string) error {
	if errors.Is(err, unix.ENOSPC) { // Linux' words read like a full disk
		return fmt.Errorf("no user may have more of them: %w", err)
	}
	if said != "" {
		return fmt.Errorf("%w; %s", err, strings.ReplaceAll(said, "\n", "; "))
	}
	return err
}

// Inside does in a room what a lab does there, and prints the step that fails.
func Inside() {
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-1"}}
	var n *oci.Network
	for step, do := range []func() error{
		oci.FurnishRoom,
		func() (err error) {
			if n, err = oci.NewNetwork(
				netip.MustParseAddr("172.18.0.1")); err != nil {
				return err
			}
			if err := n.AddNode("node-1", netip.MustParsePrefix("10.244.1.0/24"),
				netip.MustParseAddr("172.18.0.2")); err != nil {
				return err
			}
			path, err := namespace()
			if err != nil {
				return err
			}
			_, err = n.Add(context.Background(), pod, path)
			return err
		},
		func() error {
			return n.Tell(controlloop.Key{Namespace: "default", Name: "web"},
				"10.96.3.7", map[int32][]string{80: {
					"10.244.1.2:80", "10.244.1.3:80"}})
		},
	} {
		if err := do(); err != nil {
			fmt.Printf("%s: %s\n", Steps[step],
				strings.ReplaceAll(err.Error(), "\n", "; "))
			return
		}
	}
}

// namespace moves a thread of this process into a network of its own, for good,
// and returns where that is.
func namespace() (path string, err error) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		err = unix.Unshare(unix.CLONE_NEWNET)
		path = fmt.Sprintf("/proc/self/task/%d/ns/net", unix.Gettid())
		close(done)
		select {}
	}()
	<-done
	return path, err
}
