package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWritesAreCountedByWhoAndWhat(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	lines := `{"verb":"create","user":{"username":"a"},"objectRef":{"resource":"pods"},"responseStatus":{"code":201}}
{"verb":"create","user":{"username":"a"},"objectRef":{"resource":"pods","subresource":"binding"},"responseStatus":{"code":201}}
{"verb":"update","user":{"username":"a"},"objectRef":{"resource":"replicasets"},"responseStatus":{"code":409,"reason":"Conflict"}}
{"verb":"update","user":{"username":"a"},"objectRef":{"resource":"replicasets","subresource":"status"},"responseStatus":{"code":409,"reason":"Conflict"}}
{"verb":"create","user":{"username":"a"},"objectRef":{"resource":"events"},"responseStatus":{"code":201}}
{"verb":"create","user":{"username":"b"},"objectRef":{"resource":"pods"},"responseStatus":{"code":201}}
`
	require.NoError(t, os.WriteFile(log, []byte(lines+`{"verb":"half a li`), 0o600))
	w, end, err := count(log, 0, is("a"))
	require.NoError(t, err)
	assert.EqualValues(t, len(lines), end, "the line that is being written is read when it is whole")
	assert.Equal(t, 2, w.Done)
	assert.Equal(t, 1, w.Events)
	assert.Equal(t, map[string]int{"create pods": 1, "create pods/binding": 1}, w.What)
	assert.Equal(t, map[string]int{"Conflict": 2}, w.Refused)
	assert.Equal(t, map[string]int{"Conflict, update replicasets": 1, "Conflict, update replicasets/status": 1}, w.Where,
		"a status and a size are written by different controllers")
	w, _, err = count(log, end, is("a"))
	require.NoError(t, err)
	assert.Zero(t, w.Done, "what was counted is not counted again")
}

func TestWhereStoriesPartIsTold(t *testing.T) {
	one := "$ kubectl scale\nPod web: Running\n"
	assert.Equal(t, same, parts(one, one))
	assert.Equal(t, `after $ kubectl scale: ours "Pod web: Running", other "Pod web: Pending"`,
		parts(one, "$ kubectl scale\nPod web: Pending\n"))
	assert.Equal(t, "after $ kubectl scale one ends", parts(one, "$ kubectl scale\nPod web: Running"))
}

func TestManifestsOfStoriesAreThere(t *testing.T) {
	at := stage{chapters: "../../chapters"}
	for _, s := range stories {
		for _, step := range s.steps {
			arguments, _, err := at.arguments(step)
			assert.NoError(t, err, "%s: %s", s, step)
			assert.NotEmpty(t, arguments)
		}
	}
}

func TestReportsAreReadWithoutWhatWasSkipped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	require.NoError(t, os.WriteFile(file, []byte(`[{"SpecReports":[
{"LeafNodeType":"BeforeSuite","State":"passed"},
{"LeafNodeType":"It","ContainerHierarchyTexts":["[sig-apps] Deployment"],"LeafNodeText":"runs [Conformance]","State":"passed","RunTime":1500000000},
{"LeafNodeType":"It","ContainerHierarchyTexts":["[sig-apps] Daemon set [Serial]"],"LeafNodeText":"fails [Conformance]","State":"failed","RunTime":1,"Failure":{"Message":"no Pod\nand more"}},
{"LeafNodeType":"It","ContainerHierarchyTexts":["[sig-cli] Kubectl"],"LeafNodeText":"was not asked for","State":"skipped"}]}]`), 0o600))
	specs, err := readReport(file, kinds)
	require.NoError(t, err)
	require.Len(t, specs, 2)
	assert.Equal(t, Spec{Group: "Deployment", Name: "[sig-apps] Deployment runs [Conformance]", State: "passed", Seconds: 1.5}, specs[0])
	assert.Equal(t, "DaemonSet", specs[1].Group)
	assert.Equal(t, "no Pod", specs[1].Why)
	assert.False(t, Conformance{Specs: specs}.passed())
	assert.True(t, Conformance{Specs: specs[:1]}.passed())
	assert.False(t, Conformance{}.passed(), "no spec is no proof")
}

func TestEverySpecHasAGroup(t *testing.T) {
	all := append(append([]group{}, kinds...), others...)
	for _, name := range []string{
		"[sig-apps] Job should", "[sig-storage] CSIStorageCapacity should", "[sig-node] RuntimeClass should",
		"[sig-api-machinery] AdmissionWebhook", "[sig-network] Proxy", "[sig-cli] Kubectl", "[sig-auth] ServiceAccounts",
		"[sig-architecture] Conformance Tests", "[sig-instrumentation] Events", "[sig-scheduling] LimitRange",
	} {
		assert.NotEqual(t, "?", groupOf(name, all), name)
	}
}
