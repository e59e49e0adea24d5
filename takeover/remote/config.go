package remote

import (
	"cmp"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // users of kubeconfigs that need them
)

// Options say how a cluster is talked to. Zero values are filled in.
type Options struct {
	QPS    float32 // requests a second, on average; 20
	Burst  int     // how many at once, after a rest; 30
	Page   int64   // how many objects a list brings at a time; 500
	DryRun bool    // the server checks each write and keeps none
}

// The rates are those of kube-controller-manager. (Kubernetes:
// pkg/controller/apis/config/v1alpha1/defaults.go.)
func (o Options) orDefaults() Options {
	return Options{
		QPS: cmp.Or(o.QPS, 20), Burst: cmp.Or(o.Burst, 30),
		Page:   cmp.Or(o.Page, 500),
		DryRun: o.DryRun,
	}
}

// Config returns how to reach a context of a kubeconfig. Without a file it is
// kubectl's: that of $KUBECONFIG, the one below the user's home, or the cluster
// that this process runs in. Without a context it is the current one.
func Config(file, context, agent string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, fmt.Errorf("no cluster is named: give a --kubeconfig, "+
			"or set $KUBECONFIG (%w)", err)
	case err != nil:
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.UserAgent = agent
	return config, nil
}
