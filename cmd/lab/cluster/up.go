package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
API, all controllers, and simulated nodes. It prints how to reach it with
kubectl, then events as they happen, until Ctrl-C.

Another port answers for the names of its Services and Pods, to dig and the like.

It listens on 127.0.0.1 and takes requests from this machine only. For others to
reach it, give it another --address, and a --token of 16 characters or more that
they have to know; it then speaks TLS. Everybody on this machine can read a command line: the
environment variable RECONCILE_TOKEN keeps the token out of it.

--controllers has kube-controller-manager's syntax: * is all of them, a name is
this one, -name is all but this one. A list that only takes away takes away from
all, and none is none: run your own against the kubeconfig. Nodes bring their
kubelets and the placement of Pods with them; --nodes 0 is a cluster without.
While the lab runs, lab node adds machines, cuts them off, and switches them off
and on.
There are:
  ` + strings.Join(lab.Names(), "\n  ") + `

--strategy has another Strategy roll the Deployments, in the place of chapter 3's
RollingUpdate: swap is the one of exercise 2.8, canary the one of 3.11. --keep
says what the Pods of a StatefulSet keep: a disk, as in chapter 5; nothing but
their names, as in chapter 4; or their disk and their node, which exercise 4.7 is
about. --disks wastebasket is exercise 5.7: what is thrown away stays in a folder
trash/ for a day. --scores packed is exercise 6.13: Pods go to the fullest node that takes them. --operator
promote is exercise 7.11: a slave takes the place of a MySQL master that is gone.
--ended tidy is exercise 1.9: Pods that have ended go, after a time that they say.

--network plugin has machines that cannot connect Pods, and are not ready, until
somebody puts a file *.conf or *.conflist into their /etc/cni/net.d: a DaemonSet
of a network plug-in does, through a volume of type hostPath.

--runtime runc has the containers be real, on Linux: processes in namespaces, made by
runc, with a network between them that leads nowhere else. It needs no root; root
has limits of memory and CPU that hold. lab doctor says what is missing. Images of
mysql, xtrabackup, busybox and nginx are assembled from what is installed here.
--images oci:FOLDER has others from a folder that skopeo or crane has written, and,
for root, --images registry from where their names say.

A kubeconfig that is not a lab's is never overwritten, and the lab's own is gone
when it stops. A second lab at the same time needs a --kubeconfig of its own.

The nodes can run nginx, busybox, alpine, debian and mysql, of registry.k8s.io
pause and e2e-test-images/agnhost, quay.io/fluentd_elasticsearch/fluentd:v5.0.1
and gcr.io/google-samples/xtrabackup:1.0: simulated, with a shell and the usual
commands. All other images are not found. Containers start at once;
with --pace each takes its time, so that a rolling update can be watched.

With --snapshot the cluster outlives the process: the file is written whenever
something has changed, once a second at most, and read at the next start. The
containers start anew. Ctrl-C writes it a last time; kill -9 does not, and loses
what was written to the cluster in the last second or two, deletions too. What
volumes hold is in a folder beside the file, named after it; without --snapshot
it is in a temporary one, and goes with the lab.`,
		Example: `  go run ./cmd/lab up
  go run ./cmd/lab up --nodes 2 --port 8001
  go run ./cmd/lab up --pace 3s
  go run ./cmd/lab up --runtime runc
  go run ./cmd/lab up --controllers '*,-replicaset' --snapshot lab.json`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			opts.Out, opts.Err = command.OutOrStdout(), command.ErrOrStderr()
			if !command.Flags().Changed("token") {
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
	flags.StringSliceVar(&opts.Controllers, "controllers", lab.All, "which controllers run")
	for _, choice := range opts.Flags() {
		flags.StringVar(choice.Value, choice.Name, choice.Default, choice.Help)
	}
	flags.StringVar(&opts.Runtime, "runtime", up.DefaultRuntime, "what runs containers: "+strings.Join(up.Runtimes(), ", "))
	flags.StringVar(&opts.Images, "images", up.DefaultImages, "where real containers have them from: installed, oci:FOLDER, registry, or registry:HOST:PORT")
	flags.Uint64Var(&opts.Seed, "seed", 1, "where uids and generated names come from")
	flags.StringVar(&opts.Address, "address", "127.0.0.1", "the IP address to listen on")
	flags.IntVar(&opts.Port, "port", 0, "the port to listen on; 0 is any that is free")
	flags.IntVar(&opts.DNSPort, "dns-port", 0, "the port that answers for the cluster's names; 0 is any that is free")
	flags.StringVar(&opts.Token, "token", "", "what requests have to carry (default: $RECONCILE_TOKEN)")
	flags.StringVar(&opts.Kubeconfig, "kubeconfig", "", "the file that tells kubectl where the lab is (default: one that lab kubectl finds)")
	flags.StringVar(&opts.Snapshot, "snapshot", "", "a file that keeps the state of the cluster")
	opts.Kubectl, opts.Node = "go run ./cmd/lab kubectl", "go run ./cmd/lab node"
	return command
}
