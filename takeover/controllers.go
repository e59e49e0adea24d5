package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/cmd/lab/program"
	"reconcile/internal/lab"
	"reconcile/takeover/manager"
)

func newControllersCommand() *cobra.Command {
	var (
		opts manager.Options
		to   reach
	)
	command := &cobra.Command{
		Use:   "controllers --controllers deployment,replicaset,…",
		Short: "Run the book's controllers on a cluster, in the place of its own",
		Long: `Controllers runs the book's controllers against any Kubernetes API server, until
Ctrl-C. The cluster's own of the same names must have been switched off: two of a
kind would fight. So before one begins, the cluster is asked: an object that makes
no work is created in the namespace --home, and if it gets an answer, this says who
is at work, and how to switch it off with kube-controller-manager, kubeadm, k3s,
kind and minikube. Controllers that cannot be asked need your word, --switched-off.

--controllers has kube-controller-manager's syntax: * is all of them, a name is this
one, -name is all but this one. The scheduler and the garbage collector have to be
named: * is without them. The collector knows the kinds of the book. It deletes
nothing of other kinds, or whose owner is of one; and in the foreground it waits
for none of them. There are:
  ` + strings.Join(manager.Names(), "\n  ") + `

Of several copies one works, the one that holds the lease; Ctrl-C gives it back when
the last controller has ended.

Without --namespace this acts on the whole cluster, and wants --yes. With it
controllers see and change the objects of one namespace only. --dry-run takes no
lease and asks nobody. It says what would be written; the server checks each write,
and keeps none.

Metrics (/metrics, for Prometheus), health (/healthz: a cache is behind a server that
answers) and readiness (/readyz) are at --listen. What you wrote in the exercises 2h, 3k, 4g and 6m takes the book's place with --with and
their numbers, and what you wrote in a chapter runs as it is. So does exercise
7m's, which is called greeting: Kubernetes has none like it.`,
		Example: `  go run ./cmd/lab controllers --controllers deployment,replicaset --namespace shop
  go run ./cmd/lab controllers --controllers deployment --with 3k --yes
  go run ./cmd/lab controllers --controllers '*' --dry-run
  go run ./cmd/lab controllers manifest --controllers deployment,replicaset`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) (err error) {
			if opts.Log, err = to.log(command.ErrOrStderr()); err != nil {
				return err
			}
			if _, err := opts.Chosen(); err != nil {
				return err
			}
			if opts.Config, err = to.config(manager.Agent); err != nil {
				return err
			}
			opts.Remote = to.options
			return manager.Run(command.Context(), opts)
		},
	}
	command.PersistentPreRun = func(command *cobra.Command, _ []string) { program.Renamed(command, opts.With, lab.Meant) }
	to.flags(command)
	flags := command.PersistentFlags()
	flags.StringSliceVar(&opts.Controllers, "controllers", nil, "which controllers run")
	flags.StringVarP(&opts.Namespace, "namespace", "n", "", "the one namespace that they see and change")
	flags.BoolVar(&opts.Yes, "yes", false, "they may act on the whole cluster")
	flags.BoolVar(&opts.SwitchedOff, "switched-off", false, "the cluster's own are switched off, also those that cannot be asked")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "say what would be written, and write nothing")
	flags.StringVar(&opts.Home, "home", metav1.NamespaceSystem, "the namespace of the lease, and of what the cluster is asked")
	flags.StringVar(&opts.Lease, "lease", "lab-controllers", "the name of the lease")
	flags.StringVar(&opts.Listen, "listen", "127.0.0.1:8480", `where metrics and health are; "" is nowhere`)
	flags.StringSliceVar(&opts.With, "with", nil, "exercises whose answers take the book's place")
	command.AddCommand(newManifestCommand(&opts))
	return command
}

func newManifestCommand(opts *manager.Options) *cobra.Command {
	var image string
	command := &cobra.Command{
		Use:   "manifest",
		Short: "Print what runs them inside of the cluster, with the rights that they need and no others",
		Long: `Manifest prints a ServiceAccount, the rules that the chosen controllers need, and a
Deployment of two copies, for kubectl apply -f -. It needs neither --yes nor
--switched-off: the copies are given both, and comments at its head say so. With --namespace the rules are of that
namespace, but for kinds that have none, which they may only read. The image is that
of the Dockerfile beside this program.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			text, err := manager.Manifest(*opts, image)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(command.OutOrStdout(), text)
			return err
		},
	}
	command.Flags().StringVar(&image, "image", "lab-controllers:latest", "the image of the Deployment")
	return command
}
