package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/look/why"
)

func newWhyCommand() *cobra.Command {
	var kubeconfig, namespace, output string
	command := &cobra.Command{
		Use: "why TYPE/NAME",
		Long: `Why says what an object of the lab that runs waits for: a line for each that waits for
the next, how the chain ends, and the command that ends the waiting, where one does.
The lab's page says the same, and shows it.

The exit status is 0 when nothing is waited for, 2 when it waits, 3 when nobody will
act, and 1 for an error.`,
		Example: `  go run ./cmd/lab why deployment/web
  go run ./cmd/lab why pvc/data-mysql-0 -n shop
  go run ./cmd/lab why pod/web-0 -o json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return fmt.Errorf("why what? Say: why deployment/web")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("-o %s: there is json", output)
			}
			config, err := labConfig(kubeconfig)
			if err != nil {
				return err
			}
			query := url.Values{"of": {strings.Join(args, "/")}, "namespace": {namespace}}
			text, err := request(command.Context(), config, http.MethodGet, "why?"+query.Encode())
			if err != nil {
				return err
			}
			return printChain(command.OutOrStdout(), text, output == "json")
		},
	}
	flags := command.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", kubeconfigFlag)
	flags.StringVarP(&namespace, "namespace", "n", "default", "that of the object")
	flags.StringVarP(&output, "output", "o", "", "json: for scripts")
	return command
}

// printChain prints a chain, as text or as it came, and returns its exit status.
func printChain(w io.Writer, text string, asItCame bool) error {
	var chain why.Chain
	err := json.Unmarshal([]byte(text), &chain)
	if err != nil {
		return err
	}
	if asItCame {
		_, err = fmt.Fprintln(w, text)
	} else {
		if strings.HasPrefix(chain.Remedy, "lab ") {
			chain.Remedy = program.AsCalled("go run ./cmd/" + chain.Remedy)
		}
		err = chain.Write(w)
	}
	if code := chain.Code(); err == nil && code != 0 {
		return program.ExitCode(code)
	}
	return err
}
