package main

import (
	"github.com/spf13/cobra"

	"reconcile/takeover/nodes"
)

func newKubeletsCommand() *cobra.Command {
	var (
		opts nodes.Options
		to   reach
	)
	command := &cobra.Command{
		Use:   "kubelets --count N",
		Short: "Run the book's kubelets as simulated nodes of a cluster",
		Long: `Nodes registers simulated nodes with any Kubernetes API server and runs their
kubelets, until Ctrl-C takes them away again, with the Pods on them. Each says by
its Lease that it lives. The images of lab up run on them; all others are not found.
Nobody outside reaches their Pods, whose addresses are of 198.18.0.0/15, and no
server their logs.

A taint keeps everything else away. What shall run there says so:

  tolerations: [{key: ` + nodes.Mark + `, operator: Exists}]
  nodeSelector: {` + nodes.Mark + `: "true"}

A DaemonSet that tolerates everything, as kube-proxy's does, comes nevertheless, and
finds no image. Volumes of the driver folder.reconcile.example are folders of this
machine, and go with the nodes.`,
		Example: `  go run ./cmd/lab kubelets --count 10
  kubectl delete nodes -l ` + nodes.Mark + `   # when it was ended by force`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) (err error) {
			if opts.Log, err = to.log(command.ErrOrStderr()); err != nil {
				return err
			}
			if opts.Config, err = to.config(nodes.Agent); err != nil {
				return err
			}
			opts.Remote = to.options
			if opts.Remote.QPS == 0 { // each says twice in ten seconds that it lives
				opts.Remote.QPS = float32(50 + opts.Count)
			}
			if opts.Remote.Burst == 0 {
				opts.Remote.Burst = int(2 * opts.Remote.QPS)
			}
			return nodes.Run(command.Context(), opts)
		},
	}
	to.flags(command)
	flags := command.Flags()
	flags.IntVar(&opts.Count, "count", 3, "how many nodes there are")
	flags.StringVar(&opts.Prefix, "prefix", "simulated", "what their names begin with")
	return command
}
