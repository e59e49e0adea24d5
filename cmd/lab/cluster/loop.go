package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

func newLoopCommand() *cobra.Command {
	return newVerbs(&cobra.Command{
		Use: "loop",
		Long: `Loop holds the control loops of the lab that runs, and breaks them. Each controller
is one, each kubelet, and the scheduler; one that there is not is answered with the
names of all. What was done, and what came of it, stands in the lanes of the lab's
page, which can do the same.

A loop that is paused takes no key from its queue. The API goes on, so that one
sees what piles up; step lets it take one key. A loop whose event was dropped knows
nothing of that change until another comes, or a resync. Caches are shared, as in
kube-controller-manager: what is late is late for everybody.`,
		Example: `  go run ./cmd/lab loop pause
  go run ./cmd/lab loop step deployment
  go run ./cmd/lab loop pause kubelet node-1
  go run ./cmd/lab loop go-on
  go run ./cmd/lab loop late Pod 5s
  go run ./cmd/lab loop crash replicaset`,
	}, []verb{
		{"pause", "Let it take no other key; without a name: all of them", []string{"[LOOP]"}},
		{"step", "Let one that is paused reconcile one key", []string{"LOOP"}},
		{"slow", "Have each of its steps take a second", []string{"[LOOP]"}},
		{"go-on", "Let it run as ever", []string{"[LOOP]"}},
		{"drop", "Keep the next event from its queue", []string{"LOOP"}},
		{"late", "Have events of a kind come to the caches that much later; 0 ends it", []string{"KIND", "DURATION"}},
		{"conflict", "Refuse its next update, as if another had been faster", []string{"LOOP"}},
		{"lose", "Lose the answer to its next write, which is made: it hears of a time-out", []string{"LOOP"}},
		{"crash", "End it after its next write, and start it anew, knowing nothing", []string{"LOOP"}},
		{"resync", "Tell all loops of all objects again", nil},
	})
}

// A verb is something that the lab does when it is asked to: to what, and for how
// long.
type verb struct {
	name, short string
	params      []string // as its help has them
}

// args checks the arguments of a verb. The name of a loop may be several words;
// without a name, the lab lists the loops.
func (v verb) args(command *cobra.Command, said []string) error {
	if len(said) != len(v.params) && (v.params == nil || strings.Trim(v.params[0], "[]") != "LOOP") {
		return fmt.Errorf("say: %s %s", command.Parent().Name(), command.Use)
	}
	return nil
}

// path returns what is asked of the lab.
func (v verb) path(said []string) string {
	params := url.Values{"verb": {v.name}}
	if len(v.params) == 2 {
		params.Set("for", said[1])
		said = said[:1]
	}
	if of := strings.Join(said, " "); of != "" {
		params.Set("of", of)
	}
	return "do?" + params.Encode()
}

// newVerbs returns a command with others below it, for the lab that runs.
func newVerbs(command *cobra.Command, verbs []verb) *cobra.Command {
	kubeconfig := ofTheLab(command)
	for _, v := range verbs {
		command.AddCommand(&cobra.Command{
			Use:  strings.Join(append([]string{v.name}, v.params...), " "),
			Args: v.args, Short: v.short,
			RunE: func(command *cobra.Command, said []string) error {
				return operate(command, *kubeconfig, v.path(said), "%s")
			},
		})
	}
	return command
}

// ofTheLab prepares a command for the lab that runs: by itself it shows its help,
// and its subcommands get a flag that says where the lab is. It returns the
// flag's value.
func ofTheLab(command *cobra.Command) *string {
	command.Args = cobra.NoArgs
	command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	return command.PersistentFlags().String("kubeconfig", "", kubeconfigFlag)
}

const kubeconfigFlag = "the file that the lab wrote (default: $KUBECONFIG, or where lab up writes it)"
