package lab

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	nodes "reconcile/chapters/06-daemonset/node"
)

// errNoNetwork is what a kubelet says until a plug-in is there (Kubernetes:
// pkg/kubelet/runtime.go, networkErrors; containerd has the rest).
var errNoNetwork = errors.New("container runtime network not ready: " +
	"NetworkReady=false reason:NetworkPluginNotReady message:" +
	"Network plugin returns error: cni plugin not initialized")

// networkPlugins is the folder of a machine in which a container runtime looks for
// a plug-in.
const networkPlugins = "etc/cni/net.d"

// network returns what a machine lacks to connect Pods, a file that says how,
// or nil.
func (l *Lab) network(node string) error {
	if !l.parts.plugin {
		return nil
	}
	machine, err := os.OpenRoot(filepath.Join(l.folder, "nodes", node))
	if err != nil {
		return errNoNetwork // nothing was ever put there
	}
	defer machine.Close()
	files, err := fs.ReadDir(machine.FS(), networkPlugins)
	isOne := func(file fs.DirEntry) bool {
		return slices.Contains(
			[]string{".conf", ".conflist", ".json"}, path.Ext(file.Name()))
	}
	if err != nil || !slices.ContainsFunc(files, isOne) {
		return errNoNetwork
	}
	return nil
}

// ready returns what the heartbeat of a machine says of it (Kubernetes:
// pkg/kubelet/nodestatus/setters.go, ReadyCondition).
func (l *Lab) ready(node string) (ok bool, reason, message string) {
	if err := l.network(node); err != nil {
		return false, "KubeletNotReady", err.Error()
	}
	return true, "KubeletReady", "kubelet is posting ready status"
}

// heartbeat returns a controller by which a machine says that it lives, and
// what it lacks.
func (l *Lab) heartbeat(
	s *controlloop.System, m kubelet.Machine,
) *controlloop.Controller {
	return nodes.NewHeartbeatOf(s, m, func() (bool, string, string) {
		return l.ready(m.Node)
	})
}

// networked is a runtime that makes no sandbox while there is no network, but
// for Pods that share the machine's.
type networked struct {
	kubelet.Runtime
	missing func() error
}

// Sandbox implements kubelet.Runtime.
func (n networked) Sandbox(
	ctx context.Context, pod *corev1.Pod,
) (kubelet.Sandbox, error) {
	isThis := func(s kubelet.Sandbox) bool { return s.UID == pod.UID }
	made := slices.ContainsFunc(n.SandboxesOf(controlloop.KeyOf(pod)), isThis)
	if !made && !pod.Spec.HostNetwork {
		if err := n.missing(); err != nil {
			return kubelet.Sandbox{}, err
		}
	}
	return n.Runtime.Sandbox(ctx, pod)
}

// machineRecorder is the recorder of a machine's controllers: their events are
// lost while it is cut off.
type machineRecorder struct {
	controlloop.Recorder
	isCut func() bool
}

// Eventf implements controlloop.Recorder. Kubernetes has a reason of its own
// for a missing network; a kubelet of chapter 1 knows only that there is no
// sandbox.
func (r machineRecorder) Eventf(
	about runtime.Object, eventtype, reason, format string, args ...any,
) {
	if r.isCut() {
		return
	}
	if len(args) == 1 && args[0] == any(errNoNetwork) {
		reason, format = "NetworkNotReady", "network is not ready: %v"
	}
	r.Recorder.Eventf(about, eventtype, reason, format, args...)
}
