// Judges runs the book's controllers and its API server beside Kubernetes' own
// servers, which it builds, and Kubernetes' own tests against the book's cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot(filepath.Base(os.Args[0])) // lab, where lab conformance has become it
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", root.Name(), err)
		os.Exit(1)
	}
}

// newRoot returns the command, by the name by which it was called.
func newRoot(name string) *cobra.Command {
	root := &cobra.Command{Use: name, SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(newClientsCommand(), newConformanceCommand(), newProveCommand(), newRefereeCommand())
	return root
}

func newClientsCommand() *cobra.Command {
	var c clients
	command := &cobra.Command{
		Use:   "clients",
		Short: "Play sessions of kubectl, Helm, stern and others against the book's cluster",
		Long: "Clients builds programs that are made for any cluster (older kubectls, Helm, stern, a controller over\n" +
			"controller-runtime) and plays the sessions of the page What runs against it. It fails if they print something\n" +
			"else than is recorded, but for times and generated names.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return c.run(command.Context(), command.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&c.update, "update", false, "keep what they print")
	return command
}

func newConformanceCommand() *cobra.Command {
	o := conformance{build: buildSuite}
	command := &cobra.Command{
		Use:   "conformance",
		Short: "Run Kubernetes' own tests of the book's kinds against a cluster",
		Long: "Conformance builds Kubernetes' end-to-end tests as they are, and runs those of Deployment, ReplicaSet,\n" +
			"ReplicationController, StatefulSet, DaemonSet and ControllerRevision that a conformant cluster has to pass:\n" +
			"against the cluster of --kubeconfig, or else against a lab that it starts. It fails if one of them does.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.run(command.Context(), command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster; none: a lab is started, and ended")
	flags.IntVar(&o.nodes, "nodes", 4, "how many nodes that lab has")
	flags.BoolVar(&o.all, "all", false, "all groups of the conformance suite, three labs at a time: most of an hour, and many fail")
	flags.StringSliceVar(&o.only, "only", nil, "only the groups in whose names this stands, also those of --all")
	flags.StringVar(&o.record, "record", "", "write the result into this file, with .json and .txt behind its name")
	return command
}

func newProveCommand() *cobra.Command {
	var p proof
	s := storm{proof: &p}
	command := &cobra.Command{
		Use:   "prove",
		Short: "Prove that the book's controllers can take the place of Kubernetes' own",
		Long: "Prove builds etcd, kube-apiserver, kube-controller-manager and kube-scheduler, starts them on this machine with\n" +
			"the book's controllers in the place of their own, and looks whether all is as it is with theirs, and as in the lab:\n" +
			"also when programs are killed in the middle, and when requests fail.\n\n" +
			"With --chaos nothing of that is played: faults and changes are drawn from --seed, at any moment, several at once,\n" +
			"and fifteen sentences have to hold meanwhile and at the end.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if s.length > 0 {
				return s.run(command.Context(), command.OutOrStdout(), command.ErrOrStderr())
			}
			if s.theirs || len(s.without) > 0 {
				return errors.New("--theirs and --without are of --chaos")
			}
			return p.run(command.Context(), command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.IntVar(&p.nodes, "nodes", 13, "how many simulated nodes there are; each takes 110 Pods")
	flags.IntVar(&p.pods, "pods", 1000, "how many Pods the large rollout has")
	flags.IntVar(&p.qps, "qps", 200, "how many requests a second controllers may make, ours and theirs")
	flags.Uint64Var(&p.seed, "seed", 1, "which requests fail; with --chaos, what happens when")
	flags.StringVar(&p.lab, "lab", "", "the book's command; none: it is built")
	flags.StringSliceVar(&p.only, "only", nil, "only the acts in whose names this stands")
	flags.BoolVar(&p.keep, "keep", false, "the logs, also when all held")
	flags.StringVar(&p.record, "record", "", "write the result into this file, with .json and .txt behind its name")
	flags.DurationVar(&s.length, "chaos", 0, "for how long faults and changes are drawn from the seed: 10m")
	flags.StringSliceVar(&s.without, "without", nil, "faults that are left out of --chaos; the rest is the same as with them")
	flags.BoolVar(&s.theirs, "theirs", false, "--chaos with two copies of kube-controller-manager, instead of ours")
	return command
}

func newRefereeCommand() *cobra.Command {
	var j judgement
	command := &cobra.Command{
		Use:   "referee",
		Short: "Ask the lab's API server and Kubernetes' the same, and compare the answers",
		Long: "Referee builds etcd and kube-apiserver, starts them and a lab, all without controllers, and asks both for the\n" +
			"same: some hundred documents, and mutants of them. It fails if an answer differs in a way that has no reason\n" +
			"in referee/differences.txt.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return j.run(command.Context(), command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringVar(&j.lab, "lab", "", "the book's command; none: it is built")
	flags.StringSliceVar(&j.only, "only", nil, "only the files in whose names this stands")
	return command
}
