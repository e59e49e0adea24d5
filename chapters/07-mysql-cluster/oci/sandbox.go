//go:build linux

package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/01-control-loop/unsupported"
	"reconcile/chapters/07-mysql-cluster/oci/host"
)

// sandbox is a Pod's sandbox: the process that holds its namespaces, and what
// runs in them. The runtime's lock guards the containers.
type sandbox struct {
	kubelet.Sandbox
	dir        string
	hostname   string
	pause      *exec.Cmd
	lifeline   io.Closer // the pause ends with it
	containers map[string]*container
}

// namespace returns the path of one of the namespaces that containers join:
// "net".
func (s *sandbox) namespace(kind string) string {
	return fmt.Sprintf("/proc/%d/ns/%s", s.pause.Process.Pid, kind)
}

// Sandbox implements kubelet.Runtime. A kubelet asks for one Pod once at a
// time.
func (r *runtime) Sandbox(
	ctx context.Context, pod *corev1.Pod,
) (kubelet.Sandbox, error) {
	r.mu.Lock()
	p := r.pods[pod.UID]
	r.mu.Unlock()
	if p != nil {
		return p.Sandbox, nil
	}
	if err := unsupported.OfPod(&pod.Spec); err != nil {
		return kubelet.Sandbox{}, err
	}
	p = &sandbox{
		Sandbox:    kubelet.Sandbox{Pod: controlloop.KeyOf(pod), UID: pod.UID},
		dir:        filepath.Join(r.State, "pods", string(pod.UID)),
		hostname:   (&simulated.Process{Pod: pod}).Hostname(),
		containers: map[string]*container{},
	}
	if err := r.begin(ctx, p, pod); err != nil {
		return kubelet.Sandbox{}, errors.Join(err, r.end(p))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pods[p.UID] = p
	r.names[p.Pod] = append(r.names[p.Pod], p)
	return p.Sandbox, nil
}

// begin makes a sandbox: its namespaces, its address, and its files.
func (r *runtime) begin(ctx context.Context, p *sandbox, pod *corev1.Pod) error {
	if err := os.MkdirAll(p.dir, 0o711); err != nil {
		return err
	}
	if err := p.hold(r.Init); err != nil {
		return fmt.Errorf("start the pause process: %w", err)
	}
	var err error
	if p.IP, err = r.Network.Add(ctx, pod, p.namespace("net")); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"hostname":    p.hostname + "\n",
		"hosts":       hosts(pod, p.hostname, p.IP),
		"resolv.conf": r.Network.ResolvConf(pod),
	} {
		err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644)
		if err != nil {
			return err
		}
	}
	return nil
}

// hold starts the process that holds the namespaces. A namespace is there for as
// long as a process is in it: were it one of the containers', its restart would
// take the Pod's address with it.
func (s *sandbox) hold(program string) error {
	s.pause = exec.Command(program, "pause", s.hostname)
	s.pause.Env = []string{}
	s.pause.Dir = "/"
	s.pause.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS |
			syscall.CLONE_NEWIPC,
		Setpgid: true, // ctrl-C is for us
	}
	lifeline, err := s.pause.StdinPipe()
	if err != nil {
		return err
	}
	said, err := s.pause.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.pause.Start(); err != nil {
		return err
	}
	s.lifeline = lifeline
	wrong, err := io.ReadAll(said)
	if err == nil && len(wrong) > 0 {
		err = errors.New(string(wrong))
	}
	return err
}

// hosts returns the names that a Pod's containers know without asking
// (Kubernetes: managedHostsFileContent in pkg/kubelet/kubelet_pods.go).
func hosts(pod *corev1.Pod, hostname, ip string) string {
	own := hostname
	if pod.Spec.Subdomain != "" {
		own = fmt.Sprintf("%s.%s.%s.svc.cluster.local\t%[1]s",
			hostname, pod.Spec.Subdomain, pod.Namespace)
	}
	text := "# Kubernetes-managed hosts file.\n" +
		"127.0.0.1\tlocalhost\n" +
		"::1\tlocalhost ip6-localhost ip6-loopback\n" +
		"fe00::0\tip6-localnet\n" +
		"fe00::0\tip6-mcastprefix\n" +
		"fe00::1\tip6-allnodes\n" +
		"fe00::2\tip6-allrouters\n" +
		fmt.Sprintf("%s\t%s\n", ip, own)
	if len(pod.Spec.HostAliases) > 0 {
		text += "\n# Entries added by HostAliases.\n"
	}
	for _, alias := range pod.Spec.HostAliases {
		text += alias.IP + "\t" + strings.Join(alias.Hostnames, "\t") + "\n"
	}
	return text
}

// SandboxesOf implements kubelet.Runtime.
func (r *runtime) SandboxesOf(pod controlloop.Key) []kubelet.Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []kubelet.Sandbox
	for _, p := range r.names[pod] {
		all = append(all, p.Sandbox)
	}
	return all
}

// Sandboxes implements kubelet.Runtime. They are sorted by name.
func (r *runtime) Sandboxes() []kubelet.Sandbox {
	r.mu.Lock()
	names := slices.Collect(maps.Keys(r.names))
	r.mu.Unlock()
	slices.SortFunc(names, func(a, b controlloop.Key) int {
		return strings.Compare(a.String(), b.String())
	})
	var all []kubelet.Sandbox
	for _, name := range names {
		all = append(all, r.SandboxesOf(name)...)
	}
	return all
}

// Remove implements kubelet.Runtime.
func (r *runtime) Remove(ctx context.Context, pod types.UID) error {
	r.mu.Lock()
	p := r.pods[pod]
	if p == nil {
		r.mu.Unlock()
		return nil
	}
	running := slices.Collect(maps.Values(p.containers))
	r.mu.Unlock()
	for _, c := range running {
		if c.child != nil { // else it never ran
			c.kill()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	for _, c := range running {
		select {
		case <-c.ended: // else of two that are ready, select takes any
			continue
		default:
		}
		select {
		case <-c.ended:
		case <-ctx.Done():
			return fmt.Errorf("container %s was killed, and has not ended", c.id)
		}
	}
	if err := r.end(p); err != nil {
		return fmt.Errorf("remove the sandbox of %s: %w", p.Pod, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pods, pod)
	r.names[p.Pod] = slices.DeleteFunc(r.names[p.Pod],
		func(other *sandbox) bool { return other == p })
	if len(r.names[p.Pod]) == 0 {
		delete(r.names, p.Pod)
	}
	return nil
}

// end takes away what begin has made, however far that came. It may be asked
// again.
func (r *runtime) end(p *sandbox) error {
	if err := r.Network.Remove(p.UID); err != nil {
		return err
	}
	if p.lifeline != nil {
		p.lifeline.Close()
		_ = p.pause.Wait() // the second time it says that it was asked before
		p.lifeline = nil
	}
	return host.Clear(p.dir)
}
