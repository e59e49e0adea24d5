package servers

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages are the programs, as go.mod has them among its tools.
var packages = []string{
	"go.etcd.io/etcd/server/v3", // its program is called server
	"go.etcd.io/etcd/etcdutl/v3",
	"k8s.io/kubernetes/cmd/kube-apiserver",
	"k8s.io/kubernetes/cmd/kube-controller-manager",
	"k8s.io/kubernetes/cmd/kube-scheduler",
	"k8s.io/kubernetes/cmd/kubectl",
}

// Programs are where Kubernetes' programs lie when they have been built.
type Programs struct {
	Kubernetes, Etcd string // versions
	folder           string
}

// Build builds the programs; what is up to date stays. The first time takes some
// minutes, and half a gigabyte in the user's cache. Module is the folder of the
// go.mod that names their versions.
func Build(ctx context.Context, module string, words io.Writer) (Programs, error) {
	p, err := locate(ctx, module)
	if err != nil {
		return p, err
	}
	return p, p.build(ctx, module, words, append([]string{
		"build", "-o", p.folder + string(filepath.Separator)}, packages...))
}

// BuildTests builds Kubernetes' end-to-end tests as they are, and returns the
// path of their program.
func BuildTests(ctx context.Context, module string, words io.Writer) (string, error) {
	p, err := locate(ctx, module)
	if err != nil {
		return "", err
	}
	path := p.path("e2e.test")
	return path, p.build(ctx, module, words, []string{
		"test", "-c", "-vet=off", "-o", path, "k8s.io/kubernetes/test/e2e"})
}

func (p Programs) build(
	ctx context.Context, module string, words io.Writer, args []string,
) error {
	build := exec.CommandContext(ctx, "go", append([]string{args[0], p.flags()}, args[1:]...)...)
	build.Dir, build.Stdout, build.Stderr = module, words, words
	if err := build.Run(); err != nil {
		return fmt.Errorf("build Kubernetes %s: %w", p.Kubernetes, err)
	}
	return nil
}

// flags are as Kubernetes' own build has them, but for the commit.
func (p Programs) flags() string {
	return "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=" + p.Kubernetes
}

// managerWithClock is a second build of manager.
const managerWithClock = manager + "-clock"

// BuildManagerWithClock builds kube-controller-manager once more. The first time that
// takes some minutes, too.
func (p Programs) BuildManagerWithClock(ctx context.Context, module string, words io.Writer) error {
	return BuildWithClock(ctx, module, "k8s.io/kubernetes/cmd/"+manager, p.path(managerWithClock), words, p.flags())
}

// locate asks the go tool for the versions.
func locate(ctx context.Context, module string) (p Programs, err error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}",
		"k8s.io/kubernetes", "go.etcd.io/etcd/server/v3")
	list.Dir, list.Stderr = module, os.Stderr
	out, err := list.Output()
	if err != nil {
		return p, fmt.Errorf("which Kubernetes %s requires: %w", module, err)
	}
	versions := strings.Fields(string(out))
	if len(versions) != 2 {
		return p, fmt.Errorf("which Kubernetes %s requires: go list said %q", module, out)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, err
	}
	p = Programs{Kubernetes: versions[0], Etcd: versions[1]}
	p.folder = filepath.Join(cache, "reconcile", "kubernetes-"+p.Kubernetes)
	return p, os.MkdirAll(p.folder, 0o755)
}

func (p Programs) path(name string) string { return filepath.Join(p.folder, name) }

// Kubectl returns the path of kubectl.
func (p Programs) Kubectl() string { return p.path("kubectl") }
