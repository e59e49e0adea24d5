package servers

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/cmd/kubeadm/app/phases/controlplane"
	"k8s.io/kubernetes/cmd/kubeadm/app/util/config"
)

// unlike has each flag that these servers have and kubeadm's do not, or not so, or
// the other way round, and why.
var unlike = map[string]map[string]string{
	"kube-apiserver": {
		"advertise-address":                  ofTheMachine,
		"secure-port":                        ofTheMachine,
		"etcd-servers":                       ofTheMachine,
		"bind-address":                       "it listens on this machine alone",
		"endpoint-reconciler-type":           "loopback addresses are refused as endpoints of the Service kubernetes",
		"enable-admission-plugins":           "OwnerReferencesPermissionEnforcement beside NodeRestriction: who takes over a cluster that has it needs rights on finalizers, which the proof wants to see",
		"audit-policy-file":                  audited,
		"audit-log-path":                     audited,
		"audit-log-mode":                     audited,
		"audit-log-maxsize":                  audited,
		"kubelet-client-certificate":         noKubelet,
		"kubelet-client-key":                 noKubelet,
		"kubelet-preferred-address-types":    noKubelet,
		"proxy-client-cert-file":             noFront,
		"proxy-client-key-file":              noFront,
		"requestheader-allowed-names":        noFront,
		"requestheader-client-ca-file":       noFront,
		"requestheader-extra-headers-prefix": noFront,
		"requestheader-group-headers":        noFront,
		"requestheader-username-headers":     noFront,
	},
	"kube-controller-manager": {
		"controllers":                  "which of them run is what is compared",
		"leader-elect":                 "true is its default",
		"cluster-name":                 "kubernetes is its default",
		"secure-port":                  noPort,
		"authentication-kubeconfig":    noPort,
		"authorization-kubeconfig":     noPort,
		"client-ca-file":               noPort,
		"requestheader-client-ca-file": noPort,
		"cluster-signing-cert-file":    "no node asks for a certificate here",
		"cluster-signing-key-file":     "no node asks for a certificate here",
	},
	"kube-scheduler": {
		"config":                    "it has the rates, for which there is no flag",
		"kubeconfig":                "stands in the configuration",
		"leader-elect":              "stands in the configuration: false, for there is one",
		"secure-port":               noPort,
		"authentication-kubeconfig": noPort,
		"authorization-kubeconfig":  noPort,
	},
}

const (
	ofTheMachine = "where it listens is this machine's and this run's"
	audited      = "the audit log is what is counted"
	noKubelet    = "no kubelet of these clusters listens"
	noFront      = "no server is behind this one, and none in front"
	noPort       = "it has no port, so that none asks it for anything"
)

func TestTheServersAreStartedAsKubeadmStartsThem(t *testing.T) {
	defaults, err := config.DefaultedStaticInitConfiguration()
	require.NoError(t, err)
	theirs := controlplane.GetStaticPodSpecs(
		&defaults.ClusterConfiguration, &defaults.LocalAPIEndpoint, nil)
	c := &Cluster{opts: Options{Folder: "/etc/kubernetes"}, etcd: "127.0.0.1:1"}
	for name, ours := range map[string][]string{
		"kube-apiserver":          c.serving("1"),
		"kube-controller-manager": c.managing("someone", "*"),
		"kube-scheduler":          c.scheduling(),
	} {
		pod, ok := theirs[name]
		require.True(t, ok, name)
		differ := differing(flags(ours), flags(pod.Spec.Containers[0].Command[1:]))
		for _, flag := range differ {
			assert.Contains(t, unlike[name], flag, "%s: a flag that differs without a reason", name)
		}
		for flag := range unlike[name] {
			assert.Contains(t, differ, flag, "%s: a reason for a flag that is kubeadm's", name)
		}
	}
}

// flags returns values by their names. Where a file lies is no difference.
func flags(line []string) map[string]string {
	all := map[string]string{}
	for _, flag := range line {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if strings.HasPrefix(value, "/etc/kubernetes/") {
			value = "a file"
		}
		all[name] = value
	}
	return all
}

// differing returns the names of the flags that are not the same in both.
func differing(a, b map[string]string) (names []string) {
	for name, value := range a {
		if other, ok := b[name]; !ok || other != value {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
