package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/chapters/07-mysql-cluster/oci"
)

// Processes are machines whose containers are processes of this machine's, in
// a room of their own (oci.NewRoom).
type Processes struct {
	config  oci.Config // of each; State is a folder of all of them
	version string
	network *oci.Network

	mu    sync.Mutex
	nodes map[string]oci.Runtime
	isCut map[string]bool
}

var _ Hardware = (*Processes)(nil)

// NewProcesses furnishes the room. The runtimes of its machines keep their
// state in memory, at config.State, and it goes with the room. NewProcesses
// tells of steps that take long.
func NewProcesses(
	ctx context.Context, config oci.Config, tells io.Writer,
) (_ *Processes, err error) {
	config.Command = cmp.Or(config.Command, "runc")
	version, err := versionOf(config.Command)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.State, 0o700); err != nil {
		return nil, err
	}
	// What all containers together write to their roots is a quarter of the memory
	// at most.
	err = unix.Mount("tmpfs", config.State, "tmpfs", unix.MS_NODEV,
		"mode=711,size=25%")
	if err != nil {
		return nil, os.NewSyscallError("mount "+config.State, err)
	}
	defer func() {
		if err != nil {
			_ = unix.Unmount(config.State, unix.MNT_DETACH) // it is the room's
		}
	}()
	if config.Init, err = buildInit(ctx, config.State, tells); err != nil {
		return nil, err
	}
	network, err := oci.NewNetwork(netip.MustParseAddr(apiAddress))
	if err != nil {
		return nil, err
	}
	config.Network = network
	return &Processes{
		config: config, version: version, network: network,
		nodes: map[string]oci.Runtime{}, isCut: map[string]bool{},
	}, nil
}

// silence is how long a build may take without a word.
const silence = 2 * time.Second

// buildInit builds the first process of all containers, once for all machines.
func buildInit(
	ctx context.Context, folder string, tells io.Writer,
) (string, error) {
	slow := time.AfterFunc(silence, func() {
		fmt.Fprintln(tells, "lab: compiling the first process of containers; "+
			"the first time, with Go's own libraries, that takes half a minute")
	})
	defer slow.Stop()
	return oci.BuildInit(ctx, folder)
}

// versionOf returns a runtime's version: "1.1.5" if it says "runc version
// 1.1.5" on the first line.
func versionOf(command string) (string, error) {
	out, err := exec.Command(command, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", command, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	_, version, _ := strings.Cut(line, " version ")
	return strings.TrimSpace(version), nil
}

// ListenForNames opens the port at which Pods ask for names.
func (p *Processes) ListenForNames() (net.PacketConn, net.Listener, error) {
	at := net.JoinHostPort(apiAddress, "53")
	packets, err := net.ListenPacket("udp", at)
	if err != nil {
		return nil, nil, err
	}
	connections, err := net.Listen("tcp", at)
	if err != nil {
		packets.Close()
	}
	return packets, connections, err
}

// Plate implements Hardware: all of them are this machine.
func (p *Processes) Plate() Plate {
	plate := Plate{
		System: "Linux", Architecture: runtime.GOARCH,
		Runtime: filepath.Base(p.config.Command) + "://" + p.version,
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		plate.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	release, _ := os.ReadFile("/etc/os-release") // without one, it is a Linux
	for line := range strings.Lines(string(release)) {
		if pretty, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			plate.System = strings.Trim(strings.TrimSpace(pretty), `"`)
		}
	}
	return plate
}

// Add implements Hardware.
func (p *Processes) Add(
	name, subnet, address string,
) (kubelet.Runtime, error) {
	pods, err := netip.ParsePrefix(subnet + ".0/24")
	if err != nil {
		return nil, err
	}
	own, err := netip.ParseAddr(address)
	if err != nil {
		return nil, err
	}
	if err := p.network.AddNode(name, pods, own); err != nil {
		return nil, err
	}
	config := p.config
	config.State = filepath.Join(config.State, name)
	r, err := oci.New(context.Background(), config)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodes[name] = r
	return r, nil
}

// Cut implements Hardware.
func (p *Processes) Cut(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut[name] = true
	return p.network.Cut(name)
}

// Mend implements Hardware.
func (p *Processes) Mend(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut[name] = false
	return p.network.Mend(name)
}

// Stop implements Hardware. Its containers are killed: a machine without
// current asks no process to end.
func (p *Processes) Stop(name string) error {
	err := p.Cut(name)
	p.mu.Lock()
	r := p.nodes[name]
	p.mu.Unlock()
	for _, sandbox := range r.Sandboxes() {
		for container := range r.Containers(sandbox.UID) {
			r.Stop(sandbox.UID, container, 0)
		}
	}
	return err
}

// Connect implements Hardware: the Proxy's table is written into every Pod.
func (p *Processes) Connect(proxy *rollingupdate.Proxy) {
	proxy.Tell = p.network.Tell
}

// Ask implements Hardware.
func (p *Processes) Ask(z *statefulset.Zone) {
	p.network.Conf = func(pod *corev1.Pod) string {
		return resolverOf(z, pod).Conf()
	}
}

// Close ends every container.
func (p *Processes) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, r := range p.nodes {
		errs = append(errs, r.Close())
	}
	errs = append(errs, unix.Unmount(p.config.State, unix.MNT_DETACH))
	return errors.Join(errs...)
}

// runtimeOf returns the runtime that runs a Pod, if its kubelet can be asked.
func (p *Processes) runtimeOf(
	pod *corev1.Pod,
) (oci.Runtime, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.nodes[pod.Spec.NodeName]
	switch {
	case r == nil:
		return nil, fmt.Errorf("node %q is not there", pod.Spec.NodeName)
	case p.isCut[pod.Spec.NodeName]:
		return nil, fmt.Errorf("error sending request: dial tcp %s: connect: "+
			"no route to host", net.JoinHostPort(pod.Status.HostIP, "10250"))
	}
	return r, nil
}
