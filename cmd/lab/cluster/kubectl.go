package main

import (
	"errors"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"reconcile/cmd/lab/program"
	"reconcile/internal/kubectl"
	"reconcile/internal/lab"
)

// errNoLab says that no lab runs, and how to start one.
var errNoLab = errors.New(program.AsCalled("no lab is running: start one with `go run ./cmd/lab up`"))

func newKubectlCommand() *cobra.Command {
	return &cobra.Command{
		Use: "kubectl",
		Example: `  go run ./cmd/lab kubectl get nodes
  go run ./cmd/lab kubectl run web --image=nginx`,
		DisableFlagParsing: true, // the flags are kubectl's
		RunE: func(command *cobra.Command, arguments []string) error {
			c := kubectl.Command{
				Args: arguments, In: command.InOrStdin(),
				Out: command.OutOrStdout(), Err: command.ErrOrStderr(),
			}
			if err := findLab(&c); err != nil {
				return err
			}
			defer func(before []string) { os.Args = before }(os.Args)
			os.Args = append([]string{"kubectl"}, arguments...) // --record notes them
			// Ctrl-C is kubectl's again: it knows what it was doing.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			if code := kubectl.Run(command.Context(), c); code != 0 {
				return program.ExitCode(code)
			}
			return nil
		},
	}
}

// findLab leads a command to the lab that runs, unless its user leads it
// elsewhere.
func findLab(c *kubectl.Command) error {
	if os.Getenv("KUBECONFIG") != "" || namesKubeconfig(c.Args) {
		return nil
	}
	path, err := lab.Kubeconfig()
	if err != nil {
		return err
	}
	file, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		// Much needs no lab: help, a dry run of the client. A command that asks
		// for one gets errNoLab.
		c.Kubeconfig = os.DevNull
		c.Configure = func(config *rest.Config) error {
			config.Host, config.Transport = "http://lab.invalid", nowhere{}
			return nil
		}
		return nil
	}
	if err != nil {
		return err
	}
	c.Kubeconfig = path
	c.CacheDir, err = cacheOf(path, file)
	return err
}

// nowhere is the transport to a lab that does not exist.
type nowhere struct{}

// RoundTrip implements http.RoundTripper: the command ends. Only version first
// says what it knows by itself.
func (nowhere) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Path != "/version" {
		cmdutil.CheckErr(errNoLab)
	}
	return nil, errNoLab
}

func namesKubeconfig(arguments []string) bool {
	if end := slices.Index(arguments, "--"); end >= 0 {
		arguments = arguments[:end]
	}
	return slices.ContainsFunc(arguments, func(argument string) bool {
		return argument == "--kubeconfig" || strings.HasPrefix(argument, "--kubeconfig=")
	})
}

// cacheOf returns a folder for what kubectl knows of this lab's API. An earlier
// lab may have had the same address and other kinds, so its knowledge is
// removed.
func cacheOf(kubeconfig string, file os.FileInfo) (string, error) {
	all := filepath.Join(filepath.Dir(kubeconfig), "kubectl-cache")
	mine := filepath.Join(all, strconv.FormatInt(file.ModTime().UnixNano(), 36))
	if _, err := os.Stat(mine); err == nil {
		return mine, nil
	}
	if err := os.RemoveAll(all); err != nil {
		return "", err
	}
	return mine, os.MkdirAll(mine, 0o700)
}
