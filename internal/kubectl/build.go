package kubectl

import (
	"context"
	"flag"
	"fmt"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	kubectl "k8s.io/kubectl/pkg/cmd"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// building guards the variables that kubectl sets while its commands are made,
// and reads before they run: flags of profiles, the factory of completions.
var building sync.Mutex

// build returns kubectl's commands, ready to run c.
func (c Command) build(ctx context.Context) *cobra.Command {
	building.Lock()
	defer building.Unlock()
	sayVersion()
	forgetCompletions()
	streams := genericiooptions.IOStreams{In: c.In, Out: c.Out, ErrOut: c.Err}
	warnings := rest.NewWarningWriter(c.Err, rest.WarningWriterOptions{
		Deduplicate: true, Color: printers.AllowsColorOutput(c.Err),
	})
	flags := c.flags(ctx, streams, warnings)
	root := kubectl.NewKubectlCommand(kubectl.KubectlOptions{
		Arguments:   append([]string{"kubectl"}, c.Args...),
		ConfigFlags: flags,
		IOStreams:   streams,
	})
	root.SetArgs(c.Args)
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SilenceErrors, root.SilenceUsage = true, true // Run reports errors
	addVerbosity(root)
	waitForTar(root, flags, streams)
	c.prepareConfig(root)
	serialise(root)
	countWarnings(root, warnings)
	return root
}

// flags returns kubectl's own, with the defaults that c gives them.
func (c Command) flags(
	ctx context.Context, streams genericiooptions.IOStreams, warnings rest.WarningHandler,
) *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(true).
		WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(300).WithDiscoveryQPS(50).
		WithWarningPrinter(streams)
	*flags.KubeConfig = c.Kubeconfig
	if c.CacheDir != "" {
		*flags.CacheDir = c.CacheDir
	}
	return flags.WithWrapConfigFn(func(config *rest.Config) *rest.Config {
		config.WarningHandler = warnings
		if c.Configure != nil {
			cmdutil.CheckErr(c.Configure(config))
		}
		config.Wrap(endingWith(ctx))
		return config
	})
}

// addVerbosity adds -v and --vmodule: their output goes to os.Stderr. What they say is a
// variable of klog's, and the command before may have set it.
func addVerbosity(root *cobra.Command) {
	logging := flag.NewFlagSet("logging", flag.ContinueOnError)
	klog.InitFlags(logging)
	_ = logging.Set("v", "0") // a number
	for _, name := range []string{"v", "vmodule"} {
		root.PersistentFlags().AddGoFlag(logging.Lookup(name))
	}
}

// prepareConfig gives `kubectl config`, which has a --kubeconfig of its own,
// the same default.
func (c Command) prepareConfig(root *cobra.Command) {
	for _, command := range root.Commands() {
		if command.Name() == "config" && c.Kubeconfig != "" {
			flag := command.PersistentFlags().Lookup("kubeconfig")
			flag.Value.Set(c.Kubeconfig)
			flag.DefValue = c.Kubeconfig
		}
	}
}

// serialise keeps the code that runs before a command apart from
// the building of others.
func serialise(root *cobra.Command) {
	before := root.PersistentPreRunE
	root.PersistentPreRunE = func(command *cobra.Command, args []string) error {
		building.Lock()
		defer building.Unlock()
		return before(command, args)
	}
}

// countWarnings makes --warnings-as-errors see the warnings of this command,
// and of no other in the process.
func countWarnings(root *cobra.Command, warnings interface{ WarningCount() int }) {
	after := root.PersistentPostRunE
	root.PersistentPostRunE = func(command *cobra.Command, args []string) error {
		if err := after(command, args); err != nil {
			return err
		}
		asErrors, err := root.PersistentFlags().GetBool("warnings-as-errors")
		if err != nil || !asErrors {
			return err
		}
		switch n := warnings.WarningCount(); n {
		case 0:
			return nil
		case 1:
			return fmt.Errorf("%d warning received", n)
		default:
			return fmt.Errorf("%d warnings received", n)
		}
	}
}
