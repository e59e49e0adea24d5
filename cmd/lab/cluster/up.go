package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/program"
	"reconcile/internal/lab"
	"reconcile/internal/lab/up"
)

func newUpCommand() *cobra.Command {
	var opts up.Options
	command := &cobra.Command{
		Use: "up",
		Long: `Up starts a cluster made of the book's code: the store behind Kubernetes' HTTP
API, all controllers, and simulated nodes. It prints how to reach it with kubectl,
the address of a page that shows what the loops do and did, and why (here without
TLS, with a token that opens nothing else), and events as they happen, until ctrl-C.
Meanwhile lab node adds machines, cuts them off, and switches them off and on; lab
loop holds controllers and breaks them; --trace writes a file of it for Perfetto.

Three flags tell more of themselves:

  --controllers help   which controllers there are
  --with help          what you can write in exercises, and have in a lab
  --runtime help       real containers, on Linux, and which images there are

The lab takes requests from this machine only, over TLS, and with the token in the
kubeconfig that it writes, which other users of the machine can't read. With
--open-door it speaks HTTP and asks for no token: curl works, for them too. For
other machines to reach it, give it another --address and a --token. A kubeconfig
that is not a lab's is never overwritten; a second lab needs a --kubeconfig, too.
With --snapshot the cluster outlives the process, with its volumes in a folder
beside the file. Containers start anew. A kill -9 loses what was written to the
cluster in the last second or two, deletions too.`,
		Example: `  go run ./cmd/lab up --open
  go run ./cmd/lab up --nodes 2 --pace 3s
  go run ./cmd/lab up --with 3k
  go run ./cmd/lab up --runtime runc
  go run ./cmd/lab up --controllers -replicaset --snapshot lab.json`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			opts.Out, opts.Err = command.OutOrStdout(), command.ErrOrStderr()
			program.Renamed(command, opts.With, lab.Meant)
			if text := more(opts); text != "" {
				_, err := fmt.Fprintln(opts.Out, text)
				return err
			}
			if !command.Flags().Changed("token") && !opts.OpenDoor {
				opts.Token = os.Getenv("RECONCILE_TOKEN")
			}
			if up.WantsRoom(opts) {
				m := examined(opts.Runtime, opts.Kubeconfig, opts.Snapshot)
				if err := runsContainers(command, m); err != nil {
					return err
				}
			}
			err := up.Run(command.Context(), opts)
			var ended up.EndedError
			switch {
			case err == nil:
				return nil
			case errors.As(err, &ended):
				return program.ExitCode(ended)
			case errors.Is(err, context.Canceled): // before it was up
				return err
			}
			fmt.Fprintln(opts.Err, "lab:", err)
			return program.ExitCode(1) // also when Ctrl-C has ended it
		},
	}
	flags := command.Flags()
	flags.IntVar(&opts.Nodes, "nodes", 3, "how many simulated nodes there are")
	flags.DurationVar(&opts.Pace, "pace", 0, "how long a container takes to start (default at once)")
	flags.StringSliceVar(&opts.Controllers, "controllers", lab.All, "which controllers run, or help")
	flags.StringSliceVar(&opts.With, "with", nil, "exercises that the lab has the answers of, or help")
	flags.StringVar(&opts.Runtime, "runtime", up.DefaultRuntime, strings.Join(up.Runtimes(), ", ")+", or help")
	flags.StringVar(&opts.Images, "images", up.DefaultImages, "where real containers come from")
	flags.Uint64Var(&opts.Seed, "seed", 1, "where uids and generated names come from")
	flags.StringVar(&opts.Address, "address", "127.0.0.1", "the IP address to listen on")
	flags.IntVar(&opts.Port, "port", 0, "the port to listen on; 0 is any that is free")
	flags.IntVar(&opts.DNSPort, "dns-port", 0, "the port for its names; 0 is any that is free")
	flags.StringVar(&opts.Token, "token", "", "what requests carry ($RECONCILE_TOKEN, or random)")
	flags.BoolVar(&opts.OpenDoor, "open-door", false, "let all users of this machine in, without a token")
	flags.BoolVar(&opts.Open, "open", false, "open the lab's page in a browser")
	flags.StringVar(&opts.Kubeconfig, "kubeconfig", "", "the file that tells kubectl where the lab is")
	flags.StringVar(&opts.Snapshot, "snapshot", "", "a file that keeps the state of the cluster")
	flags.StringVar(&opts.Trace, "trace", "", "a file for all that the loops do")
	opts.Kubectl, opts.Node = program.AsCalled("go run ./cmd/lab kubectl"), program.AsCalled("go run ./cmd/lab node")
	return command
}

const help = "help"

// more returns the long help of a flag whose value is "help".
func more(opts up.Options) string {
	switch {
	case slices.Contains(opts.Controllers, help):
		return `--controllers has kube-controller-manager's syntax: * is all of them, a name is
this one, -name is all but this one. A list that only takes away takes away from
all, and none is none: run your own against the kubeconfig. Nodes bring their
kubelets and the placement of Pods with them; --nodes 0 is a cluster without.
There are:
  ` + strings.Join(lab.Names(), "\n  ")
	case slices.Contains(opts.With, help):
		return `What you have written in these exercises, or the book's answer, takes the place of
what the chapters have. Separate several by commas: --with 1j,3k

  ` + strings.Join(lab.Extras(), "\n  ")
	case opts.Runtime == help:
		return `--runtime simulated has nodes that run nginx, busybox, alpine, debian and mysql,
registry.k8s.io's pause and e2e-test-images/agnhost,
quay.io/fluentd_elasticsearch/fluentd:v5.0.1 and
gcr.io/google-samples/xtrabackup:1.0, with a shell and the usual commands. All
other images are not found. Containers start at once; with --pace each takes its
time, so that a rolling update can be watched.

--runtime runc has real containers, on Linux: processes in namespaces, made by
runc, with a network between them that leads nowhere else. It needs no root; root
has limits of memory and CPU that hold. lab doctor says what is missing.

--images installed assembles mysql, xtrabackup, busybox and nginx from what is
installed here. --images oci:FOLDER has those in a folder that skopeo or crane has
written; and for root, --images registry or registry:HOST:PORT has them from
where their names say, or from there.`
	}
	return ""
}
