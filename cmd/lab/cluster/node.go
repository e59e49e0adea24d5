package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reconcile/internal/lab"
)

func newNodeCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "node",
		Long: `Node does to the machines of the lab that runs what no API can: somebody has to
be there, and pull a cable. What the cluster makes of it, kubectl get nodes tells.

A machine that is cut off goes on running its containers, and nobody hears of it.
One that is stopped has no current: its containers are gone, what is on its disks
stays. Start brings either back, and has a machine register again whose Node was
deleted.`,
		Example: `  go run ./cmd/lab node add
  go run ./cmd/lab node cut node-2
  go run ./cmd/lab node stop node-3
  go run ./cmd/lab node start node-2`,
	}
	kubeconfig := ofTheLab(command)
	command.AddCommand(&cobra.Command{
		Use: "add", Short: "Put another machine beside those that there are",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return operate(command, *kubeconfig, "nodes", "%s is added")
		},
	})
	for _, c := range []struct{ verb, short, done string }{
		{"cut", "Take its network cable out", "%s is cut off"},
		{"stop", "Switch it off", "%s is switched off"},
		{"start", "Bring it back, from either", "%s is back"},
	} {
		command.AddCommand(&cobra.Command{
			Use: c.verb + " NAME", Short: c.short,
			Args: func(_ *cobra.Command, names []string) error {
				if len(names) != 1 {
					return fmt.Errorf("which machine? say: node %s node-2", c.verb)
				}
				return nil
			},
			RunE: func(command *cobra.Command, names []string) error {
				return operate(command, *kubeconfig,
					"nodes/"+url.PathEscape(names[0])+"/"+c.verb, c.done)
			},
		})
	}
	return command
}

// operate asks the lab that runs for something, and says that it is done.
func operate(command *cobra.Command, kubeconfig, path, done string) error {
	config, err := labConfig(kubeconfig)
	if err != nil {
		return err
	}
	config.UserAgent = command.CommandPath() // that its page says who it was
	name, err := request(command.Context(), config, http.MethodPost, path)
	if err == nil {
		fmt.Fprintf(command.OutOrStdout(), done+"\n", name)
	}
	return err
}

// labConfig says how to reach the lab, as kubectl finds it.
func labConfig(path string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	if path == "" && os.Getenv("KUBECONFIG") == "" {
		own, err := lab.Kubeconfig()
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(own); errors.Is(err, os.ErrNotExist) {
			return nil, errNoLab
		}
		rules.ExplicitPath = own
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if errors.Is(err, os.ErrNotExist) || clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("%w (%w)", errNoLab, err)
	}
	return config, err
}

// request asks the lab for something, and returns its answer.
func request(ctx context.Context, config *rest.Config, method, path string) (string, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return "", err
	}
	asked, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(config.Host, "/")+"/lab/"+path, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(asked)
	if err != nil {
		return "", fmt.Errorf("the lab does not answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	text := strings.TrimSpace(string(body))
	switch code := response.StatusCode; {
	case err != nil:
		return "", err
	case code == http.StatusConflict:
		return "", errors.New(text)
	case code == http.StatusNotFound:
		return "", fmt.Errorf("what answers at %s is no lab", config.Host)
	case code >= http.StatusMultipleChoices:
		return "", fmt.Errorf("the lab answers %s: %s", response.Status, text)
	}
	return text, nil
}
