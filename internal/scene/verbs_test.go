package scene_test

import (
	"cmp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnImageFailsAndHeals(t *testing.T) {
	text := printed(t, `
fail image nginx:1.27
$ kubectl create -f manifests/web.yaml
$ kubectl get pods
advance 1s
heal image nginx:1.27
advance 1m
$ kubectl get pods
`)
	assert.Contains(t, text, "web    0/1     ErrImagePull   0          0s\n")
	assert.Contains(t, text, "web    1/1     Running   0          61s\n")
}

func TestWhoTypesTwoCommandsAtOnceIsQuickerThanTheControllers(t *testing.T) {
	text := printed(t, `
$ kubectl create -f manifests/web.yaml && kubectl get pods && kubectl get pods -o name
$ kubectl get pods
`)
	assert.Contains(t, text, "pod/web created\n"+
		"NAME   READY   STATUS    RESTARTS   AGE\nweb    0/1     Pending   0          0s\n"+
		"pod/web\n")
	assert.Contains(t, text, "web    1/1     Running   0          0s\n")
	text = printed(t, "$ kubectl get pods nosuch && kubectl get pods\n")
	assert.Contains(t, text, "not found\n[exit 1]\n")
	assert.NotContains(t, text, "No resources", "what fails is followed by nothing")
}

func TestADroppedWatchIsTakenUpAgain(t *testing.T) {
	played, err := play(t, `# trace: testdata/x.json
drop watches
$ kubectl create -f manifests/web.yaml
$ kubectl get pods
`)
	require.NoError(t, err)
	assert.Contains(t, string(played.Text), "web    1/1     Running   0          0s\n")
	before, after, _ := strings.Cut(string(played.Trace), `"drop watches"`)
	watches := `"action": "watches"`
	assert.NotZero(t, strings.Count(before, watches))
	assert.Equal(t, strings.Count(before, watches), strings.Count(after, watches))
}

func TestWhoHasCrashedDoesNothingUntilItIsRestarted(t *testing.T) {
	text := printed(t, `
crash
$ kubectl create -f manifests/web.yaml
advance 5s
$ kubectl get pods
restart
$ kubectl get pods
`)
	assert.Contains(t, text, "web    0/1     Pending   0          5s\n")
	assert.Contains(t, text, "web    1/1     Running   0          5s\n")
	text = printed(t, `
$ kubectl run falls --image=busybox:1.36 -- false
advance 15s
crash
advance 5m
$ kubectl get pods
`)
	assert.Regexp(t, `falls +0/1 +CrashLoopBackOff +2 \(5m5s ago\)`, text,
		"what was due is not done")
	text = printed(t, `
crash kubelet node-1
$ kubectl create -f manifests/web.yaml
advance 5s
$ kubectl get pods -o wide
restart
$ kubectl get pods
`)
	assert.Contains(t, text, "web    0/1     Pending   0          5s    <none>   node-1")
	assert.Contains(t, text, "web    1/1     Running   0          5s\n")
}

func TestAControllerThatIsPausedIsLedByTheHand(t *testing.T) {
	text := printed(t, `
$ kubectl create deployment web --image=nginx:1.27
pause replicaset
$ kubectl scale deployment web --replicas=3
$ kubectl get pods -o name
step replicaset
$ kubectl get pods -o name
pause
$ kubectl scale deployment web --replicas=1
advance 1m
$ kubectl get replicasets
go-on
$ kubectl get replicasets
`)
	assert.Equal(t, []int{1, 3}, []int{
		strings.Count(between(text, "--replicas=3\n", "step replicaset"), "pod/web-"),
		strings.Count(between(text, "step replicaset", "\npause\n"), "pod/web-"),
	}, text)
	assert.Regexp(t, `web-\w+ +3 +1 +1 `, between(text, "--replicas=1\n", "go-on"), "one step made two Pods, and counted none")
	assert.Regexp(t, `web-\w+ +1 +1 +1 `, between(text, "go-on", ""))
}

func TestAnEventIsLostUntilAResync(t *testing.T) {
	text := printed(t, `
$ kubectl create deployment web --image=nginx:1.27
drop deployment
$ kubectl scale deployment web --replicas=2
advance 1m
$ kubectl get pods -o name
resync
$ kubectl get pods -o name
`)
	assert.Equal(t, []int{1, 2}, []int{
		strings.Count(between(text, "advance 1m", "resync"), "pod/web-"),
		strings.Count(between(text, "resync", ""), "pod/web-"),
	}, text)
}

func TestAnUpdateIsRefusedOnceAndTriedAgain(t *testing.T) {
	assert.Regexp(t, `web +2/2 `, printed(t, `
$ kubectl create deployment web --image=nginx:1.27
conflict deployment
$ kubectl scale deployment web --replicas=2
advance 1s
$ kubectl get deployments
`))
}

func TestAStepSaysWhatWaitsToStrikeAndWhatHasStruck(t *testing.T) {
	played, err := play(t, `
lose replicaset
conflict deployment
$ kubectl get pods
$ kubectl create deployment web --image=nginx:1.27
pause
`)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"replicaset: the answer to its next write will be lost"}, {"deployment: its next update will be refused"}, nil}, played.Faults[:3])
	assert.Regexp(t, `^deployment: refused, a conflict: Deployment default/web\nreplicaset: written, and the answer is lost: Pod default/web-\S+$`, strings.Join(played.Faults[3], "\n"))
	assert.Empty(t, played.Faults[4], "nothing waits to strike a loop that is paused")
}

func TestAWriteWhoseAnswerIsLostIsMadeAgainByWhoHasNotHeardOfIt(t *testing.T) {
	const loses = `
lose replicaset
$ kubectl create deployment web --image=nginx:1.27
advance 1s
$ kubectl get events
$ kubectl get pods -o name
advance 1m
$ kubectl get pods -o name
`
	for late, want := range map[string][]int{"": {1, 1}, "late pods 10s": {2, 1}} {
		text := printed(t, late+loses)
		assert.Contains(t, text, "Error creating: Timeout: request did not complete within requested timeout - context deadline exceeded\n")
		made, left, _ := strings.Cut(between(text, "kubectl get pods -o name", ""), "advance 1m")
		assert.Equal(t, want, []int{strings.Count(made, "pod/web-"), strings.Count(left, "pod/web-")}, "%s: %s", late, text)
	}
}

func TestEventsThatComeLateAreActedOnLater(t *testing.T) {
	text := printed(t, `
late rs 30s
$ kubectl create deployment web --image=nginx:1.27
advance 29s
$ kubectl get rs,pods -o name
advance 1s
$ kubectl get pods -o name
late replicasets 0s
$ kubectl create deployment db --image=nginx:1.27
advance 1s
$ kubectl get deployment db
`)
	before, after, _ := strings.Cut(text, "\nadvance 1s\n")
	assert.Contains(t, before, "replicaset.apps/web-", "it has been written")
	assert.NotContains(t, before, "pod/web-", "and its controller hasn't heard of it")
	assert.Contains(t, after, "pod/web-")
	assert.Regexp(t, `db +1/1 `, after, "events come at once again")
}

func TestAnEventThatIsLateIsNotLostWithItsWatch(t *testing.T) {
	assert.Regexp(t, `web +1/1 `, printed(t, `
late replicasets 10m
$ kubectl create deployment web --image=nginx:1.27
drop watches
advance 1m
crash
restart
advance 10m
$ kubectl get deployments
`))
}

// between returns what of a text stands between two of its pieces.
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, cmp.Or(to, "\x00"))
	return text
}

func TestAFileThatACommandWroteCanBeEdited(t *testing.T) {
	assert.Contains(t, printed(t, `
$ kubectl create -f manifests/web.yaml -o yaml --dry-run=client > mine.yaml
edit mine.yaml s/name: web/name: mine/
$ kubectl create -f mine.yaml
`), "pod/mine created\n")
}

func TestAMachineComesFallsSilentAndIsBack(t *testing.T) {
	played, err := play(t, `# trace: testdata/x.json
add node
$ kubectl run far --image=nginx:1.27 --overrides='{"spec":{"nodeName":"node-2"}}'
cut node-2
$ kubectl logs far
$ kubectl delete pod far --wait=false
advance 1m
$ kubectl get nodes
$ kubectl get pods
start node-2
$ kubectl get nodes
$ kubectl get pods
$ kubectl create -f manifests/web.yaml
stop node-1
stop node-2
advance 10s
start node-1
start node-2
$ kubectl get pods
restart
$ kubectl get pods
`)
	require.NoError(t, err)
	text := string(played.Text)
	assert.Contains(t, text, `Error from server: Get "https://172.18.0.3:10250/containerLogs/default/far/far": `+
		"dial tcp 172.18.0.3:10250: connect: "+syscall.EHOSTUNREACH.Error()+"\n[exit 1]\n")
	assert.Contains(t, text, "node-2   NotReady   <none>   63s ")
	assert.Contains(t, text, "far    1/1     Terminating   0          63s\n")
	assert.Contains(t, text, "node-2   Ready    <none>   63s ")
	assert.Contains(t, text, "No resources found in default namespace.\n")
	assert.Equal(t, 2, strings.Count(text, "web    1/1     Running   1 (10s ago)   10s\n"))
	trace := strings.Join(strings.Fields(string(played.Trace)), " ")
	for _, step := range []string{
		`{ "at": 0, "lane": "scene", "action": "add node" }`,
		`{ "at": 0, "lane": "node-2", "action": "added" }`,
		`{ "at": 0, "lane": "node-2", "action": "cut" }`,
		`{ "at": 63000000000, "lane": "node-2", "action": "started" }`,
		`{ "at": 63000000000, "lane": "node-1", "action": "stopped" }`,
	} {
		assert.Contains(t, trace, step)
	}
	cut, after, _ := strings.Cut(trace, `"lane": "node-2", "action": "cut"`)
	silent, _, _ := strings.Cut(after, `"action": "started"`)
	assert.Contains(t, cut, `"kubelet node-2"`)
	assert.NotContains(t, silent, `"kubelet node-2`, "nobody hears of it")
	assert.NotContains(t, silent, `"heartbeat node-2`)
}

func TestANetworkPluginIsWaitedFor(t *testing.T) {
	text := printed(t, `# with: no-network
$ kubectl get nodes
$ kubectl get node node-1 -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'
`)
	assert.Contains(t, text, "node-1   NotReady   <none>   0s ")
	assert.Contains(t, text, "container runtime network not ready: NetworkReady=false "+
		"reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized")
}

func TestTheSameSceneGivesTheSameBytes(t *testing.T) {
	text := `# nodes: 3
# seed: 5
# trace: testdata/x.json
$ kubectl get pods -w &
$ kubectl run a --image=busybox:1.36 -- sleep 5
$ kubectl run b --image=busybox:1.36 -- sleep 5
$ kubectl run c --image=nginx:1.91
$ kubectl create -f manifests/web.yaml
advance 2m
$ kubectl delete pods --all
$ kubectl debug node/node-1 --image=busybox:1.36 -- true
$ kubectl get events
`
	first, err := play(t, text)
	require.NoError(t, err)
	for range 5 {
		again, err := play(t, text)
		require.NoError(t, err)
		require.Equal(t, string(first.Text), string(again.Text))
		require.Equal(t, string(first.Trace), string(again.Trace))
	}
}

func TestATraceHoldsWhatWasTypedWrittenAndReconciled(t *testing.T) {
	played, err := play(t, `# trace: testdata/x.json
$ kubectl create -f manifests/web.yaml
advance 5s
`)
	require.NoError(t, err)
	trace := strings.Join(strings.Fields(string(played.Trace)), " ")
	for _, step := range []string{
		`{ "at": 0, "lane": "kubectl", "action": "kubectl create -f manifests/web.yaml" }`,
		`"lane": "store", "action": "added", "object": "Pod default/web",`,
		`"lane": "kubelet node-1", "action": "reconcile", "object": "default/web" }`,
		`"note": "Normal Started: Container started" }`,
		`{ "at": 0, "lane": "scene", "action": "advance 5s" }`,
	} {
		assert.Contains(t, trace, step)
	}
}

func TestWhatCannotBePlayedIsToldWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"# nodes: many\nrestart":              `x.scene:1: # nodes: strconv.Atoi: parsing "many": invalid syntax`,
		"# limit: long\nrestart":              `x.scene:1: # limit: time: invalid duration "long"`,
		"restart\ncrash nobody":               `x.scene:2: there is no controller "nobody"`,
		"restart\npause nobody":               `x.scene:2: there is no loop "nobody"; there are daemonset, deployment, `,
		"step deployment":                     `x.scene:1: deployment isn't paused: pause it, then step`,
		"restart\nstop":                       "x.scene:2: no such command runs in the background",
		"edit a.yaml s/a/b/":                  "x.scene:1: open a.yaml: " + syscall.ENOENT.Error(),
		"edit manifests/web.yaml s/apache/b/": `x.scene:1: manifests/web.yaml does not contain "apache"`,
		"$ kubectl get pods > no/such/folder": "x.scene:1: open no/such/folder: " + syscall.ENOENT.Error(),
		"$ kubectl create -f manifests/web.yaml\ncrash\n$ kubectl delete pods --all": "x.scene:3: kubectl delete pods --all has not ended after 10m0s: " +
			"it waits until what it deletes is gone, and nobody is there to see to that: all controllers have crashed, the kubelets among them, which end Pods; restart starts them",
		"$ kubectl create -f manifests/web.yaml\ncut node-1\n$ kubectl delete pods --all": "x.scene:3: kubectl delete pods --all has not ended after 10m0s: " +
			"it waits until what it deletes is gone",
		"# limit: 1m\nrestart\n$ kubectl get ns -w": "x.scene:3: kubectl get ns -w has not ended after 1m0s: it waits for GET /api/v1/namespaces?resourceVersion=",
	} {
		_, err := play(t, text)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
	_, err := play(t, "# controllers: nosuch\nrestart")
	assert.ErrorContains(t, err, `x.scene:1: there is no controller "nosuch" here; there are: `)
}

func TestTimePassesUntilNothingChanges(t *testing.T) {
	text := printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl create deployment slow --image=nginx:1.27
$ kubectl patch deployment slow -p '{"spec": {"minReadySeconds": 90}}'
advance until quiet
$ kubectl get deployments,pods
`)
	assert.Regexp(t, `slow +1/1 +1 +1 +16m`, text, "90 seconds until it's available, and a quarter of an hour in which nothing is")
}

func TestAFileIsWrittenAndCreatedFrom(t *testing.T) {
	assert.Contains(t, printed(t, `
write sub/mine.yaml apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {a: "b\\n"}\n
$ kubectl create -f sub/mine.yaml
$ kubectl get configmap mine -o jsonpath={.data.a}
`), "configmap/mine created\n\n$ kubectl get configmap mine -o jsonpath={.data.a}\nb\n")
}

func TestAllCrashAfterTheNextWrite(t *testing.T) {
	played, err := play(t, `# look: testdata/x.json
$ kubectl create deployment web --image=nginx:1.27 --replicas=2 -v=6
advance 5s
crash after a write
$ kubectl scale deployment web --replicas=4
advance 5s
$ kubectl get replicasets,deployments,pods
restart
advance 5s
$ kubectl get deployments
`)
	require.NoError(t, err)
	text := string(played.Text)
	assert.Contains(t, text, " Config loaded from file:  ~/kubeconfig\n", "a run prints the same everywhere")
	crashed := between(text, "crash after a write", "restart")
	assert.Regexp(t, `replicaset.apps/web-\S+ +4 +2 +2`, crashed, "the one write")
	assert.Equal(t, 2, strings.Count(crashed, "pod/web-"), "and none after it")
	assert.Regexp(t, `web +4/4`, between(text, "restart", ""))
	assert.Equal(t, [][]string{{"all controllers will crash after their next write"}, {"all controllers have crashed, after a write in deployment's Reconcile(default/web)"}}, played.Faults[2:4])
}
