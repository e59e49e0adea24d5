// Takeover is the part of lab that meets clusters elsewhere: the book's
// controllers in the place of Kubernetes' own, and its kubelets as nodes. It is a
// module of its own, because it has client-go with all that comes with it; nothing
// else depends on it, and lab builds and becomes it when it is asked for.
//
// controllers.go and kubelets.go are a command each. Package remote is the client,
// manager what lab controllers runs, nodes what lab kubelets does.
package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"reconcile/cmd/lab/program"
	"reconcile/takeover/remote"
)

func main() { program.Main(newRoot()) }

func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "lab"}
	root.AddCommand(newControllersCommand(), newKubeletsCommand())
	return root
}

// reach holds the flags that say which cluster is meant.
type reach struct {
	kubeconfig, context string
	options             remote.Options
	verbose             bool
	format              string
}

func (r *reach) flags(command *cobra.Command) {
	flags := command.PersistentFlags()
	flags.StringVar(&r.kubeconfig, "kubeconfig", "", "the file that says where the cluster is (default: $KUBECONFIG, ~/.kube/config, or the cluster that this runs in)")
	flags.StringVar(&r.context, "context", "", "which of its contexts (default: the current one)")
	flags.Float32Var(&r.options.QPS, "qps", 0, "how many requests a second, on average")
	flags.IntVar(&r.options.Burst, "burst", 0, "how many at once, after a rest")
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "log each write")
	flags.StringVar(&r.format, "log-format", "text", "text or json")
}

// config returns how to reach it.
func (r *reach) config(agent string) (*rest.Config, error) {
	config, err := remote.Config(r.kubeconfig, r.context, agent)
	if err != nil {
		return nil, err
	}
	config.WarningHandler = rest.NoWarnings{} // Endpoints are deprecated: it is known
	return config, nil
}

// log returns the log that the flags ask for. What client-go has to say is said
// only with --verbose: what matters of it comes back as an error.
func (r *reach) log(out io.Writer) (*slog.Logger, error) {
	level := slog.LevelInfo
	if r.verbose {
		level = slog.LevelDebug
	}
	opts := &slog.HandlerOptions{Level: level}
	var handler slog.Handler
	switch r.format {
	case "text":
		handler = slog.NewTextHandler(out, opts)
	case "json":
		handler = slog.NewJSONHandler(out, opts)
	default:
		return nil, fmt.Errorf("there is no log format %q; there are text and json", r.format)
	}
	if !r.verbose {
		klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	}
	return slog.New(handler), nil
}
