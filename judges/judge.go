package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reconcile/judges/referee"
	"reconcile/judges/servers"
)

// judgement is the command.
type judgement struct {
	lab  string
	only []string
}

// run starts both servers without controllers, and has the referee ask them.
func (j judgement) run(ctx context.Context, out, words io.Writer) error {
	at, err := here()
	if err != nil {
		return err
	}
	at.lab = j.lab
	programs, err := servers.Build(ctx, at.module, words)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "referee-")
	if err != nil {
		return err
	}
	real, err := programs.Start(ctx, servers.Options{Folder: folder})
	if err == nil {
		err = j.beside(ctx, at, real, folder, out)
	}
	if err = errors.Join(err, real.Stop()); err != nil {
		return errors.Join(err, fmt.Errorf("all logs are in %s", folder))
	}
	return os.RemoveAll(folder)
}

func (j judgement) beside(
	ctx context.Context, at place, real *servers.Cluster, folder string, out io.Writer,
) error {
	lab, err := at.startLab(ctx, folder, 0, "--controllers", "none")
	if err != nil {
		return err
	}
	opts := referee.Options{Chapters: at.chapters(), Only: j.only, Out: out}
	opts.API, err = folderOf(ctx, at.module, "k8s.io/api")
	if err == nil {
		opts.Lab, err = configOf(filepath.Join(folder, "lab.kubeconfig"))
	}
	if err == nil {
		opts.Real, err = configOf(real.Kubeconfig(servers.Admin))
	}
	if err == nil {
		err = referee.Judge(ctx, opts)
	}
	return errors.Join(err, lab.Stop())
}

func configOf(kubeconfig string) (*rest.Config, error) {
	return clientcmd.BuildConfigFromFlags("", kubeconfig)
}

// folderOf returns where the source of a module lies.
func folderOf(ctx context.Context, in, module string) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir, list.Stderr = in, os.Stderr
	out, err := list.Output()
	return strings.TrimSpace(string(out)), err
}
