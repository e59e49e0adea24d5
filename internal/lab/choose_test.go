package lab_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
)

// chosen returns the names of the controllers that a list would run, without
// "-controller".
func chosen(t *testing.T, list []string) string {
	t.Helper()
	l, err := lab.New(lab.Options{Controllers: list})
	require.NoError(t, err)
	var names []string
	for _, name := range lab.Names() {
		name, _, _ = strings.Cut(name, " ")
		if l.Controller(name) != nil {
			names = append(names, strings.TrimSuffix(name, "-controller"))
		}
	}
	return strings.Join(names, " ")
}

func TestControllersAreChosenAsForKubeControllerManager(t *testing.T) {
	const all = "namespace serviceaccount root-ca-certificate-publisher deployment replicaset replicationcontroller statefulset daemonset persistentvolume-binder persistentvolumeclaim-protection persistentvolume-protection endpointslice resourcequota node-lifecycle taint-eviction disruption garbage-collector pod-garbage-collector"
	for _, c := range []struct{ list, want string }{
		{"*", all},
		{"deployment-controller", "deployment"},
		{"deployment", "deployment"},
		{"replicaset,garbagecollector", "replicaset garbage-collector"},
		{"*,-deployment", strings.Replace(all, "deployment ", "", 1)},
		{"*,-deployment-controller", strings.Replace(all, "deployment ", "", 1)},
		{"-deployment,*", strings.Replace(all, "deployment ", "", 1)},
		{"-deployment,deployment", ""},
		{"deployment,-deployment", "deployment"},
		{"-deployment", strings.Replace(all, "deployment ", "", 1)},
		{"none", ""},
		{"", ""},
	} {
		assert.Equal(t, c.want, chosen(t, strings.Split(c.list, ",")), c.list)
	}
	assert.Equal(t, all, chosen(t, nil), "nothing said")
	assert.Empty(t, chosen(t, []string{}), "an empty list")
}

func TestAnUnknownControllerIsNamed(t *testing.T) {
	for _, list := range [][]string{{"job"}, {"*", "-job"}} {
		_, err := lab.New(lab.Options{Controllers: list})
		require.ErrorContains(t, err, `there is no controller "job" here; there are: namespace-controller (or namespace), `)
	}
	for _, name := range []string{"-", "Deployment", "-*", "-none", " deployment"} {
		_, err := lab.Choose([]string{name})
		assert.Error(t, err, name)
	}
}

// A user who creates one of these waits for ever, and should have been told.
func TestKindsThatNobodyActsOnAreKnown(t *testing.T) {
	const later = "jobs cronjobs"
	for _, c := range []struct{ list, idle, out string }{
		{"*", later, ""},
		{"*,-replicaset", "replicasets " + later, "replicaset-controller"},
		{"*,-garbagecollector", later, "garbage-collector-controller"},
		{"deployment,replicaset", "namespaces services replicationcontrollers statefulsets daemonsets " + later + " persistentvolumeclaims persistentvolumes poddisruptionbudgets",
			"namespace-controller serviceaccount-controller root-ca-certificate-publisher-controller " +
				"replicationcontroller-controller statefulset-controller daemonset-controller persistentvolume-binder-controller " +
				"persistentvolumeclaim-protection-controller persistentvolume-protection-controller " +
				"endpointslice-controller resourcequota-controller node-lifecycle-controller " +
				"taint-eviction-controller disruption-controller garbage-collector-controller " +
				"pod-garbage-collector-controller"},
	} {
		l, err := lab.New(lab.Options{Controllers: strings.Split(c.list, ",")})
		require.NoError(t, err)
		idle := l.Idle()
		// All else that is served has no controller here yet.
		assert.Equal(t, c.idle, strings.Join(idle[:len(strings.Fields(c.idle))], " "), c.list)
		assert.Contains(t, idle, "cronjobs", c.list)
		assert.Equal(t, c.out, strings.Join(l.LeftOut(), " "), c.list)
	}
}
