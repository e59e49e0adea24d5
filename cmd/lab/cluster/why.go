package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/trace/why"
)

func newWhyCommand() *cobra.Command {
	var asks question
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
				return errors.New("why what? Say: why deployment/web")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			return asks.ask(command, strings.Join(args, "/"))
		},
	}
	flags := command.Flags()
	flags.StringVar(&asks.kubeconfig, "kubeconfig", "", kubeconfigFlag)
	flags.StringVarP(&asks.namespace, "namespace", "n", "default", "that of the object")
	flags.StringVarP(&asks.output, "output", "o", "", "json: for scripts")
	return command
}

// question is what the flags of a question say.
type question struct{ kubeconfig, namespace, output string }

// ask asks the lab what an object waits for, and prints the answer.
func (q question) ask(command *cobra.Command, object string) error {
	if q.output != "" && q.output != "json" {
		return fmt.Errorf("-o %s: there is json", q.output)
	}
	config, err := labConfig(q.kubeconfig)
	if err != nil {
		return err
	}
	query := url.Values{"of": {object}, "namespace": {q.namespace}}
	text, err := request(command.Context(), config, http.MethodGet, "why?"+query.Encode())
	if err != nil {
		return err
	}
	return printChain(command.OutOrStdout(), text, q.output == "json")
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
