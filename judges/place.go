package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"reconcile/judges/servers"
)

// place is where the book's folders are.
type place struct {
	book   string // its go.mod's folder
	module string // of this program
	lab    string // the book's command; "": it is built
}

// here finds the book above the working directory.
func here() (place, error) {
	start, err := os.Getwd()
	if err != nil {
		return place{}, err
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		module := filepath.Join(folder, "judges")
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return place{book: folder, module: module}, nil
		}
		if folder == filepath.Dir(folder) {
			return place{}, fmt.Errorf("%s is not inside the book: there is no judges/go.mod above it; change to the book's folder first", start)
		}
	}
}

func (at place) chapters() string { return filepath.Join(at.book, "chapters") }

// command returns the path of the book's command, and builds it if need be.
func (at place) command(ctx context.Context, folder string) (string, error) {
	if at.lab != "" {
		return at.lab, nil
	}
	path := filepath.Join(folder, "lab")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/lab")
	build.Dir, build.Stdout, build.Stderr = at.book, os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build lab: %w", err)
	}
	return path, nil
}

// patience is how long a program of the book may take to start: it may have to be
// compiled first.
const patience = 10 * time.Minute

// startLab starts lab up with its kubeconfig in a folder, and returns when it
// can be asked.
func (at place) startLab(
	ctx context.Context, folder string, nodes int, flags ...string,
) (*servers.Process, error) {
	kubeconfig := filepath.Join(folder, "lab.kubeconfig")
	if err := os.RemoveAll(kubeconfig); err != nil { // of the lab before
		return nil, err
	}
	p, err := at.start(ctx, folder, "lab-up.log", append([]string{"up", "--nodes", fmt.Sprint(nodes),
		"--port", "0", "--kubeconfig", kubeconfig}, flags...)...)
	if err != nil {
		return nil, err
	}
	return p, p.Until(ctx, patience, func() error {
		client, err := clientOf(kubeconfig)
		if err != nil {
			return err
		}
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// start starts a command of lab.
func (at place) start(ctx context.Context, folder, log string, arguments ...string) (*servers.Process, error) {
	lab, err := at.command(ctx, folder)
	if err != nil {
		return nil, err
	}
	return servers.Start(filepath.Join(folder, log), at.book, lab, arguments...)
}

func clientOf(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return kubernetes.NewForConfig(config)
}

// record writes a result into FILE.json, and its text into FILE.txt.
func record(file string, result any, text string) error {
	data, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(file+".json", append(data, '\n'), 0o644),
		os.WriteFile(file+".txt", []byte(text), 0o644))
}
