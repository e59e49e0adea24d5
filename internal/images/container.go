package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/miekg/dns"
	"github.com/spf13/afero"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/images/unix"
)

// container is one attempt to run a container, and what is left of it.
type container struct {
	self     *simulated.Process // the main process, as the runtime has it
	node     *node
	previous *container
	joined   *container // whose processes it sees; nil: only its own
	image    *image
	pods     func() simulated.PodNetwork
	env      []string
	args     []string
	box      *unix.Box
	output   *output
	keyboard *keyboard     // nil: no client can type
	started  chan struct{} // closed when the box is complete
	ended    chan struct{}
	end      atomic.Pointer[ending] // nil: it has not ended by itself
	lost     atomic.Bool            // the container was lost, with its machine
	main     *unix.Process
	program  func(context.Context) int // of main
}

// newContainer returns an attempt that has not started, which sees the processes
// of another if that is not nil; with a *StartError, one that never will.
func newContainer(
	p *simulated.Process, img *image, joined *container, on *node,
) (*container, error) {
	host, ip, spec := p.Hostname(), p.IP(), p.Container
	if on.host.shares(p.Pod) {
		host, ip = on.host.name, on.host.address
	}
	files, err := filesOf(img, p.Mounts, hostsOf(p.Pod, host, ip), host)
	if err != nil {
		return nil, fmt.Errorf("files of container %s: %w", spec.Name, err)
	}
	c := &container{
		self: p, node: on, joined: joined, image: img,
		env: environment(spec, img, host), args: command(spec, img),
		output:  newOutput(),
		started: make(chan struct{}), ended: make(chan struct{}),
	}
	c.box = unix.NewBox(host, files, c.commands())
	c.box.SetMemory(spec.Resources.Limits.Memory().Value())
	c.box.User, c.box.Group = userOf(p.Pod, spec)
	if context := p.Pod.Spec.SecurityContext; context != nil {
		c.box.Groups = slices.Clone(context.SupplementalGroups)
		if context.FSGroup != nil {
			c.box.Groups = append(c.box.Groups, *context.FSGroup)
			giveVolumes(files, p.Pod, spec, *context.FSGroup)
		}
	}
	if spec.Stdin {
		c.keyboard = newKeyboard(spec.StdinOnce && !spec.TTY)
	}
	c.main = c.process(c.args)
	if joined == nil {
		c.main.PID = 1
	} else {
		c.box.Join(joined.box)
	}
	return c, c.prepare(spec.Resources.Limits.Memory().Value())
}

// prepare readies the main process. Its error is of a container that has ended.
func (c *container) prepare(limit int64) (err error) {
	c.program, err = c.main.Prepare()
	if 0 < limit && limit < leastMemory {
		err = unix.ErrNoMemory
	}
	if err == nil {
		return nil
	}
	c.end.Store(&ending{code: neverStarted})
	c.output.end()
	_ = c.box.Files.Close()
	close(c.started)
	close(c.ended)
	return &kubelet.StartError{Reason: notStarted(c.args, err).Error()}
}

// userOf returns the user and the group that the processes of a container are
// said to be: the container's own word counts before its Pod's.
func userOf(pod *corev1.Pod, spec *corev1.Container) (user, group int64) {
	if of := pod.Spec.SecurityContext; of != nil {
		user, group = ptr.Deref(of.RunAsUser, user), ptr.Deref(of.RunAsGroup, group)
	}
	if of := spec.SecurityContext; of != nil {
		user, group = ptr.Deref(of.RunAsUser, user), ptr.Deref(of.RunAsGroup, group)
	}
	return user, group
}

// giveVolumes gives a group what a container mounts, but for what belongs to the
// machine.
func giveVolumes(files *unix.Files, pod *corev1.Pod, spec *corev1.Container, group int64) {
	for _, m := range spec.VolumeMounts {
		if !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
			return v.Name == m.Name && v.HostPath != nil
		}) {
			files.Give(m.MountPath, group)
		}
	}
}

// ending is how a container ended.
type ending struct {
	code int
	left string // what it has written down of that
}

// leastMemory is what a container has to hold before its program starts: runc's own
// process. (runc 1.1.5 starts one of 2Mi, and none of 1Mi. Kubernetes and containerd
// have no bound of their own.)
const leastMemory = 2 << 20

// neverStarted is the code of a container whose program is not there.
const neverStarted = 128

// environment returns the variables that the processes of a container have:
// the image's, the runtime's, and what its spec says.
func environment(spec *corev1.Container, img *image, host string) []string {
	env := append([]string{}, img.env...)
	env = append(env, "HOSTNAME="+host, "HOME=/root")
	if spec.TTY {
		env = append(env, "TERM=xterm")
	}
	for _, v := range spec.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

// filesOf returns the files of a new container.
func filesOf(
	img *image, mounts []kubelet.Mount, hosts, host string,
) (*unix.Files, error) {
	own := map[string]string{
		"/etc/hostname": host + "\n",
		"/etc/hosts":    hosts,
		"/etc/passwd":   "root:x:0:0:root:/root:/bin/sh\n",
	}
	maps.Copy(own, img.files)
	files, err := unix.NewFiles(img.base, own, built)
	if err != nil {
		return nil, err
	}
	if err := mountInto(files, mounts); err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return files, nil
}

// hostsOf returns the names that the containers of a Pod know by themselves
// (Kubernetes: pkg/kubelet/kubelet_pods.go, managedHostsFileContent).
func hostsOf(pod *corev1.Pod, host, ip string) string {
	var hosts strings.Builder
	own := host
	if pod.Spec.Subdomain != "" {
		own = fmt.Sprintf("%s.%s.%s.svc.cluster.local\t%[1]s",
			host, pod.Spec.Subdomain, pod.Namespace)
	}
	fmt.Fprintf(&hosts, "# Kubernetes-managed hosts file.\n"+
		"127.0.0.1\tlocalhost\n%s\t%s\n", ip, own)
	if len(pod.Spec.HostAliases) > 0 {
		hosts.WriteString("\n# Entries added by HostAliases.\n")
	}
	for _, alias := range pod.Spec.HostAliases {
		fmt.Fprintf(&hosts, "%s\t%s\n", alias.IP, strings.Join(alias.Hostnames, "\t"))
	}
	return hosts.String()
}

// mountInto mounts into files what a container mounts, the outer before the
// inner.
func mountInto(files *unix.Files, mounts []kubelet.Mount) error {
	deep := func(m kubelet.Mount) int {
		return strings.Count(path.Clean(m.Path), "/")
	}
	mounts = slices.Clone(mounts)
	slices.SortStableFunc(mounts, func(a, b kubelet.Mount) int {
		return cmp.Compare(deep(a), deep(b))
	})
	for _, m := range mounts {
		dir, file, err := storage.Open(m)
		if err != nil {
			return err
		}
		if err := files.Mount(dir, file, m.Path, m.ReadOnly); err != nil {
			return err
		}
	}
	return nil
}

// run runs the container to its end, and returns its exit code.
func (c *container) run(ctx context.Context, p *simulated.Process) int {
	defer close(c.ended)
	defer c.output.end()
	defer c.box.Files.Close()
	c.box.Network = c.network(p)
	if c.node.host.shares(p.Pod) {
		defer c.node.host.release(p.Pod.UID, p.Container.Name)
	}
	if r, ok := p.Resolver().(interface{ Conf() string }); ok {
		_ = afero.WriteFile(c.box.Files, "/etc/resolv.conf", []byte(r.Conf()), 0o644)
	}
	if of := p.Container.SecurityContext; of != nil &&
		ptr.Deref(of.ReadOnlyRootFilesystem, false) {
		c.box.Files.Seal()
	}
	close(c.started)

	main := c.main
	main.Stdout = c.output.writer(corev1.LogStreamStdout)
	main.Stderr = c.output.writer(corev1.LogStreamStderr)
	defer c.connect(main)()
	defer context.AfterFunc(ctx, func() {
		if !c.lost.Load() {
			main.Signal(c.image.stopSignal())
		}
	})()
	var firstEnded <-chan struct{} // closed when the process that was joined has ended
	if c.joined != nil {
		firstEnded = c.joined.ended
	}
	go func() {
		select {
		case <-p.Killed():
		case <-firstEnded:
		case <-c.ended:
		}
		c.box.End()
	}()
	code := c.program(context.Background())
	c.end.Store(&ending{code, c.leave()})
	return code
}

// network returns the network that the processes of the container see.
func (c *container) network(p *simulated.Process) unix.Network {
	own := pod{p, c.pods}
	if c.node.host.shares(p.Pod) {
		return hostPod{own, c.node}
	}
	return own
}

// pod is the network of a Pod as the processes in it see it.
type pod struct {
	*simulated.Process
	all func() simulated.PodNetwork
}

// Reaches implements unix.Network. A host that refuses a connection is there.
func (p pod) Reaches(ctx context.Context, address string) bool {
	if net.ParseIP(address).IsLoopback() {
		return true
	}
	conn, err := p.all().DialContext(ctx, "tcp", net.JoinHostPort(address, "0"))
	if err == nil {
		conn.Close()
	}
	return err == nil || errors.Is(err, syscall.ECONNREFUSED)
}

// clientKey is the key of the address that a connection comes from, in its
// context.
type clientKey struct{}

// ClientOf returns the address of the Pod that a connection comes from, or "" if
// it comes from elsewhere.
func ClientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// Dial implements unix.Network.
func (p pod) Dial(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	if ClientOf(ctx) == "" {
		ctx = context.WithValue(ctx, clientKey{}, p.IP())
	}
	return p.Process.Dial(ctx, network, address)
}

// LookupHost implements unix.Network.
func (p pod) LookupHost(ctx context.Context, host string) ([]string, error) {
	if r := p.Resolver(); r != nil {
		return r.LookupHost(ctx, host)
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// LookupAddr implements unix.Network.
func (p pod) LookupAddr(ctx context.Context, address string) ([]string, error) {
	if r, ok := p.Resolver().(interface {
		LookupAddr(context.Context, string) ([]string, error)
	}); ok {
		return r.LookupAddr(ctx, address)
	}
	return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}
}

// Exchange implements unix.Network. Only the server that the Pod's resolver asks
// is there.
func (p pod) Exchange(
	ctx context.Context, server string, question *dns.Msg,
) (*dns.Msg, error) {
	if r, ok := p.Resolver().(interface {
		Exchange(context.Context, string, *dns.Msg) (*dns.Msg, error)
	}); ok {
		return r.Exchange(ctx, server, question)
	}
	return nil, &net.DNSError{Err: "no such host", Name: server, IsNotFound: true}
}

// connect connects the main process with the clients that attach. Call end to
// disconnect them.
func (c *container) connect(main *unix.Process) (end func()) {
	var keys io.Reader = strings.NewReader("")
	if c.keyboard != nil {
		keys = c.keyboard
	}
	input := unix.NewInput(keys)
	if c.self.Container.TTY {
		t := unix.NewTerminal(keys, main.Stdout)
		t.OnInterrupt(func() { main.Signal(unix.SIGINT) })
		input = t.Input
		main.Terminal, main.Stdout, main.Stderr = t, t, t
	}
	main.Stdin = input
	return func() {
		input.Close()
		if c.keyboard != nil {
			c.keyboard.close()
		}
	}
}

// process returns a process of the container that has no streams yet.
func (c *container) process(args []string) *unix.Process {
	dir := c.self.Container.WorkingDir
	if dir == "" {
		dir = "/"
	}
	return &unix.Process{Box: c.box, Args: args, Env: c.env, Dir: dir}
}
