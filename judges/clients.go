package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"
)

// clients plays sessions of other people's programs against lab up.
type clients struct {
	update bool // write what they print
}

// kubectls are those that play the part kubectl, each beside a newer server than it
// was made for.
var kubectls = []string{"v0.30.14", "v0.32.9", "v0.34.1", "v0.36.6"}

const (
	helm       = "helm.sh/helm/v3/cmd/helm@v3.22.0"
	stern      = "github.com/stern/stern@v1.33.0"
	nodeClient = "@kubernetes/client-node@1.4.0"
)

// oldKubectl is Kubernetes' own main function, which a module of a version needs.
const oldKubectl = `package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
`

// run plays each part of the recording in a folder of its own, and the first once more
// by each kubectl.
func (c clients) run(ctx context.Context, out io.Writer) error {
	at, err := here()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "clients-")
	if err != nil {
		return err
	}
	err = c.play(ctx, at, folder, out)
	if err != nil {
		return fmt.Errorf("%w; what was built, and the logs, are in %s", err, folder)
	}
	return os.RemoveAll(folder)
}

func (c clients) play(ctx context.Context, at place, folder string, out io.Writer) error {
	if err := build(ctx, at, folder, out); err != nil {
		return err
	}
	lab, err := at.startLab(ctx, folder, 3)
	if err != nil {
		return err
	}
	defer lab.Stop()
	file := filepath.Join(at.chapters(), "07-mysql-cluster", "testdata", "clients.txt")
	recorded, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var now strings.Builder
	var failed []error
	for part := range strings.SplitSeq(strings.TrimPrefix(string(recorded), "# part: "), "\n# part: ") {
		name, before, _ := strings.Cut(part, "\n")
		for k, program := range kubectlsOf(name) {
			fmt.Fprintln(out, name, program)
			printed, err := session(ctx, at, folder, program, before)
			if err != nil {
				return fmt.Errorf("%s %s: %w", name, program, err)
			}
			if k == 0 {
				fmt.Fprintf(&now, "# part: %s\n%s", name, printed)
			}
			if c.update && k == 0 {
				before = printed
			}
			if diff := difference(before, printed); diff != "" {
				failed = append(failed, fmt.Errorf("%s %s prints something else (--update keeps it):\n%s", name, program, diff))
			}
		}
	}
	if c.update {
		failed = append(failed, os.WriteFile(file, []byte(now.String()), 0o644))
	}
	return errors.Join(failed...)
}

// kubectlsOf returns those that play a part: one after the other, or that of the book's
// Kubernetes.
func kubectlsOf(part string) []string {
	if part == "kubectl" {
		return kubectls
	}
	return []string{""}
}

// build makes the programs: in bin those that all parts have, and below it each kubectl.
func build(ctx context.Context, at place, folder string, out io.Writer) error {
	bin := filepath.Join(folder, "bin")
	for _, made := range [][]string{
		{"go", "-C", at.module, "build", "-o", bin + "/", "./clients/site", "./clients/informer", "k8s.io/kubernetes/cmd/kubectl"},
		{"go", "install", helm},
		{"go", "install", stern},
		{"npm", "install", "--silent", "--prefix", folder, nodeClient},
	} {
		if err := order(ctx, folder, out, made...); err != nil {
			return err
		}
	}
	for _, version := range kubectls {
		module := filepath.Join(folder, version)
		if err := os.MkdirAll(module, 0o755); err != nil {
			return err
		}
		err := errors.Join(
			os.WriteFile(filepath.Join(module, "main.go"), []byte(oldKubectl), 0o644),
			os.WriteFile(filepath.Join(module, "go.mod"), []byte("module kubectl\n\ngo 1.26\n\nrequire k8s.io/kubectl "+version+"\n"), 0o644))
		if err != nil {
			return err
		}
		if err := order(ctx, module, out, "go", "build", "-mod=mod", "-o", filepath.Join(module, "kubectl"), "."); err != nil {
			return err
		}
	}
	return nil
}

// order runs a command that makes something.
func order(ctx context.Context, folder string, out io.Writer, command ...string) error {
	fmt.Fprintln(out, "$", strings.Join(command, " "))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stderr = folder, out
	cmd.Env = append(os.Environ(), "GOBIN="+filepath.Join(folder, "bin"))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}

// session runs the commands of a recording in one shell, and returns a recording of it.
func session(ctx context.Context, at place, folder, program, recorded string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var script strings.Builder
	for line := range strings.Lines(recorded) {
		if command, is := strings.CutPrefix(strings.TrimSpace(line), "$ "); is {
			quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
			fmt.Fprintf(&script, "echo '$' %s\n%s\n", quoted, command)
		}
	}
	home, err := os.MkdirTemp(folder, "home-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(home, os.DirFS(filepath.Join(at.module, "clients"))); err != nil {
		return "", err
	}
	shell := exec.CommandContext(ctx, "bash", "-c", script.String())
	shell.Dir = home
	shell.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+filepath.Join(folder, "lab.kubeconfig"),
		"PATH="+filepath.Join(folder, program)+":"+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	printed, err := shell.CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) && ctx.Err() == nil {
		err = nil // what failed has said so
	}
	return string(printed), err
}

// made are the words that are others in each session: times, ages and generated names.
var made = regexp.MustCompile(`\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}|\b(\d+[hms])+\b|-[0-9a-z]{8,10}-[0-9a-z]{5}\b| {2,}`)

// lines returns those of a recording without such words, and without what kubectl adds
// to a deletion since 1.34.
func lines(recording string) []string {
	recording = strings.ReplaceAll(strings.TrimSpace(recording), " from default namespace", "")
	return difflib.SplitLines(made.ReplaceAllString(recording, "~"))
}

// difference compares recordings.
func difference(before, now string) string {
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(before), FromFile: "recorded", B: lines(now), ToFile: "printed", Context: 2,
	})
	if err != nil {
		panic(err) // a strings.Builder does not fail
	}
	return diff
}
