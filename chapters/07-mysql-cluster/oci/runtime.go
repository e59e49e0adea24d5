//go:build linux

package oci

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/containerd/go-runc"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci/host"
)

// runtime is the Runtime of one node, whose containers are processes that runc has
// put into namespaces. It lives as long as this process, and they do no longer.
//
//	<state>/runc/                   what runc knows
//	<state>/pods/<uid>/             hosts, hostname, resolv.conf
//	<state>/pods/<uid>/<c>/<n>/     an attempt: config.json, rootfs, mounts
//	<state>/pods/<uid>/<c>/<n>.log  what it has printed
type runtime struct {
	Config
	runc     *runc.Runc
	rootless bool          // we are root in a user namespace only
	cgroups  string        // with what the names of ours begin
	patience time.Duration // with a container that was killed

	mu     sync.Mutex
	pods   map[types.UID]*sandbox
	names  map[controlloop.Key][]*sandbox // the same by name, the oldest first
	onExit func(controlloop.Key)
}

// New returns a runtime without Pods. It removes first what another has left in
// the same folder when it was killed.
func New(ctx context.Context, config Config) (Runtime, error) {
	if err := os.MkdirAll(config.State, 0o711); err != nil {
		return nil, err
	}
	// The kernel's table of mounts knows no other way to the folder.
	state, err := filepath.EvalSymlinks(config.State)
	if err == nil {
		state, err = filepath.Abs(state)
	}
	if err != nil {
		return nil, err
	}
	config.State = state
	o := &runtime{
		Config: config, rootless: host.InUserNamespace(),
		patience: 10 * time.Second,
		cgroups: fmt.Sprintf("/reconcile-%08x-",
			crc32.ChecksumIEEE([]byte(state))),
		runc: &runc.Runc{
			// runc sees by itself whether it is rootless. Told so, crun 1.8 takes
			// the word for the name of its Root.
			Command: config.Command, Root: filepath.Join(state, "runc"),
			LogFormat: runc.JSON,
			Setpgid:   true, // ctrl-C is for us
		},
		pods:   map[types.UID]*sandbox{},
		names:  map[controlloop.Key][]*sandbox{},
		onExit: func(controlloop.Key) {},
	}
	// runc ends as soon as a container runs: its process becomes our child, not
	// that of the system's process 1, and we learn how it ends.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a subreaper: %w", err)
	}
	if err := o.sweep(ctx); err != nil {
		return nil, err
	}
	if o.Init == "" {
		o.Init, err = BuildInit(ctx, state)
	}
	return o, err
}

// HoldsLimits reports whether runtimes of this process hold their containers to
// their limits: only the machine's root divides cgroups.
func HoldsLimits() bool { return !host.InUserNamespace() }

// sweep removes what is left of a runtime that could not do it itself. Its
// processes have gone with it, but for one that was about to begin.
func (r *runtime) sweep(ctx context.Context) error {
	left, _ := os.ReadDir(r.runc.Root)
	for _, container := range left {
		err := r.runc.Delete(ctx, container.Name(), &runc.DeleteOpts{Force: true})
		if err != nil {
			return fmt.Errorf("remove container %s: %w", container.Name(), err)
		}
	}
	r.sweepGroups("/sys/fs/cgroup")
	return errors.Join(
		host.Clear(filepath.Join(r.State, "pods")), host.Clear(r.runc.Root))
}

// sweepGroups removes control groups in which nothing runs: one with a process
// cannot be removed. That goes for ours, and for those of runtimes in other
// folders, which may never come back; but a young one may be of another that is
// about to put something into it.
func (r *runtime) sweepGroups(root string) {
	for _, version := range []string{"", "*"} {
		found, _ := filepath.Glob(filepath.Join(root, version, "reconcile-*"))
		for _, group := range found {
			ours := strings.HasPrefix(filepath.Base(group), r.cgroups[1:])
			info, err := os.Stat(group)
			if ours || err == nil && time.Since(info.ModTime()) > time.Minute {
				_ = os.Remove(group)
			}
		}
	}
}

//go:embed podinit
var podinit embed.FS

// BuildInit builds podinit into a folder, and returns its path. It is a program
// of its own: what runs in any root may need no library there, which a program
// with Go's net in it does, and there are two of it for a Pod, 2 MB each.
func BuildInit(ctx context.Context, dir string) (string, error) {
	source, program := filepath.Join(dir, "podinit"), filepath.Join(dir, "init")
	err := errors.Join(os.RemoveAll(source), os.CopyFS(dir, podinit))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath",
		"-ldflags=-s -w", "-o", program, "main.go", "reap.go", "run.go")
	build.Dir = source
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=",
		"GOTMPDIR="+dir) // of which nothing is left behind, whatever happens
	build.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ctrl-C is for us
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the init of containers: %w: %s", err, out)
	}
	return program, nil
}

// OnExit implements kubelet.Runtime.
func (r *runtime) OnExit(f func(controlloop.Key)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onExit = f
}

// Close implements Runtime.
func (r *runtime) Close() error {
	left := r.Sandboxes()
	errs := make([]error, len(left)+1)
	var all sync.WaitGroup
	for i, s := range left { // one that does not go holds up no other
		all.Go(func() { errs[i] = r.Remove(context.Background(), s.UID) })
	}
	all.Wait()
	errs[len(left)] = r.sweep(context.Background())
	return errors.Join(errs...)
}

// container returns the last attempt to run a container, or nil.
func (r *runtime) container(pod types.UID, name string) *container {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pods[pod]; p != nil {
		return p.containers[name]
	}
	return nil
}

// Containers implements kubelet.Runtime.
func (r *runtime) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pods[pod]
	if p == nil {
		return nil
	}
	all := make(map[string]corev1.ContainerStatus, len(p.containers))
	for name, c := range p.containers {
		all[name] = *c.status.DeepCopy()
	}
	return all
}
