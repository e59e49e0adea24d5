package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"reconcile/judges/servers"
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

func TestPodsThatAreNotDeletedYetAreCountedAndForHowLongTheyAreTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRollout(nil, "shop", 4)
		see := func(event watch.EventType, n int, deleted *metav1.Time) {
			r.see(watch.Event{Type: event, Object: &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("web-", n), DeletionTimestamp: deleted},
			}})
			time.Sleep(time.Second)
		}
		for n := range 7 {
			see(watch.Added, n, nil)
		}
		assert.Equal(t, 5, limit(4))
		see(watch.Modified, 0, new(metav1.Now()))
		see(watch.Deleted, 1, nil)
		see(watch.Added, 7, nil)
		see(watch.Deleted, 0, nil)
		see(watch.Deleted, 2, nil)
		assert.Equal(t, "at least 0 were ready, at most 0 wanted and 7 live, 5.0 s above 5", r.seen(),
			"three seconds with six and seven Pods, and two more when one came back")
	})
}

func TestWhatAStoppedLeaderDidIsReadFromItsLogAndTheServers(t *testing.T) {
	folder := t.TempDir()
	cluster, err := servers.Programs{}.Start(t.Context(), servers.Options{Folder: folder})
	require.Error(t, err, "there is no program")
	at := func(second int) string { return fmt.Sprintf("2026-01-01T00:00:%02d.500Z", second) }
	var audit strings.Builder
	for _, a := range []struct {
		user, resource string
		second         int
	}{{"old", "pods", 1}, {"old", "pods", 9}, {"old", "leases", 9}, {"new", "pods", 9}} {
		fmt.Fprintf(&audit, `{"verb":"create","user":{"username":%q},"objectRef":{"resource":%q},"requestReceivedTimestamp":%q}`+"\n",
			a.user, a.resource, at(a.second))
	}
	require.NoError(t, os.WriteFile(cluster.AuditLog(), []byte(audit.String()), 0o600))
	p := &proof{cluster: cluster, as: "old"}
	woken := time.Date(2026, 1, 1, 0, 0, 5, 0, time.UTC)
	require.NoError(t, p.late(woken))
	p.read("time="+at(5)+` level=WARN msg="trying again" error="Post: not written: the lease is old"`+"\n"+
		"time="+at(6)+` level=WARN msg="trying again" error="Post: not written: the lease is old"`+"\n"+
		"time="+at(13)+` level=WARN msg="the lease was lost; another copy may work now"`+"\n", woken)
	assert.Equal(t, Pause{Late: 1, Kept: 2, Knew: 8.5,
		Words: `msg="trying again" error="Post: not written: the lease is old"`}, p.result.Pause)
}

func TestWhereStoriesPartIsTold(t *testing.T) {
	one := "$ kubectl scale\nPod web: Running\n"
	assert.Equal(t, same, parts(one, one))
	assert.Equal(t, `after $ kubectl scale: ours "Pod web: Running", other "Pod web: Pending"`,
		parts(one, "$ kubectl scale\nPod web: Pending\n"))
	assert.Equal(t, "after $ kubectl scale one ends", parts(one, "$ kubectl scale\nPod web: Running"))
}

func TestManifestsOfStoriesAreThere(t *testing.T) {
	at := stage{chapters: "../chapters"}
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

// names returns the 462 specs, as the module that is tested lists them.
func names(t *testing.T) (all []string) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "test/conformance/testdata/conformance.yaml"))
	require.NoError(t, err)
	var specs []struct{ Codename string }
	require.NoError(t, yaml.Unmarshal(text, &specs))
	for _, spec := range specs {
		all = append(all, spec.Codename)
	}
	return all
}

// The table of docs/conformance.md has the groups of --all in their order, each with
// as many specs as there are. Each spec is of one group.
func TestRealTheTableIsThatOfTheGroups(t *testing.T) {
	counts := map[string]int{}
	all := append(append([]group{}, kinds...), others...)
	for _, name := range names(t) {
		var in []string
		for _, g := range all {
			if g.specs.MatchString(name) {
				in = append(in, g.name)
				counts[g.name]++
			}
		}
		assert.Len(t, in, 1, "%s: %q", name, in)
	}
	text, err := os.ReadFile("../docs/conformance.md")
	require.NoError(t, err)
	var want, got []string
	for _, g := range all {
		want = append(want, fmt.Sprintf("%s: %d, %s", g.name, counts[g.name], g.why))
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) == 6 && !strings.HasPrefix(cells[1], "-") && !strings.Contains(cells[1], "**") && cells[1] != " group " {
			got = append(got, fmt.Sprintf("%s: %s, %s", strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[4])))
		}
	}
	assert.Equal(t, want, got)
}

// fake is a suite whose program is a script, and a cluster that knows its version.
func fake(t *testing.T, script string) conformance {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"gitVersion":"v1.0.0"}`)
	}))
	t.Cleanup(server.Close)
	config := api.NewConfig()
	config.Clusters["fake"] = &api.Cluster{Server: server.URL}
	config.Contexts["fake"] = &api.Context{Cluster: "fake"}
	config.CurrentContext = "fake"
	kubeconfig, program := filepath.Join(t.TempDir(), "kubeconfig"), filepath.Join(t.TempDir(), "e2e.test")
	require.NoError(t, clientcmd.WriteToFile(*config, kubeconfig))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("TMPDIR", t.TempDir())
	return conformance{kubeconfig: kubeconfig, build: func(context.Context, place, io.Writer) (suite, error) {
		return suite{program, "kubectl", "v1.0.0"}, nil
	}}
}

func reporting(specs string) string {
	return `cat > report.json <<END
[{"SpecReports":[` + specs + `]}]
END
`
}

const good = `{"LeafNodeType":"It","ContainerHierarchyTexts":["[sig-apps] Deployment"],"LeafNodeText":"runs","State":"passed","RunTime":1}`

func TestRealConformanceFailsUnlessAllSpecsPass(t *testing.T) {
	bad := strings.Replace(good, "passed", "failed", 1)
	for name, test := range map[string]struct{ script, want string }{
		"all pass":             {reporting(good), ""},
		"one fails":            {reporting(good+","+bad) + "exit 1", "not all passed"},
		"one fails and exit 0": {reporting(good + "," + bad), "not all passed"},
		"none was played":      {reporting(""), "no spec was played"},
		"it breaks off":        {"echo panic; exit 2", "the suite's last words:\npanic"},
	} {
		t.Run(name, func(t *testing.T) {
			o := fake(t, test.script)
			var out, words strings.Builder
			err := o.run(t.Context(), &out, &words)
			if test.want == "" {
				require.NoError(t, err)
				assert.Contains(t, out.String(), "Deployment             1      1")
				left, err := os.ReadDir(os.TempDir())
				require.NoError(t, err)
				assert.Empty(t, left)
				return
			}
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, "the logs are in ")
		})
	}
}

func TestRealWhatIsNotBuiltIsAFailure(t *testing.T) {
	o := fake(t, "")
	o.build = func(ctx context.Context, _ place, words io.Writer) (suite, error) {
		return buildSuite(ctx, place{module: t.TempDir()}, words)
	}
	assert.ErrorContains(t, o.run(t.Context(), io.Discard, io.Discard), "which Kubernetes ")
}

// Interrupted, the suite may tidy up, and nothing that it has started is left.
func TestRealAnInterruptionEndsTheSuite(t *testing.T) {
	folder := t.TempDir()
	pid, tidy := filepath.Join(folder, "pid"), filepath.Join(folder, "tidy")
	o := fake(t, "trap 'echo > "+tidy+"; exit 1' INT\nsleep 1000 & echo $! > "+pid+".new; mv "+pid+".new "+pid+"; wait")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() { ended <- o.run(ctx, io.Discard, io.Discard) }()
	var child []byte
	require.Eventually(t, func() (there bool) {
		var err error
		child, err = os.ReadFile(pid)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	cancel(errors.New("interrupted"))
	assert.EqualError(t, <-ended, "interrupted")
	assert.FileExists(t, tidy)
	id, err := strconv.Atoi(strings.TrimSpace(string(child)))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { // init takes it away
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 10*time.Millisecond)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}
