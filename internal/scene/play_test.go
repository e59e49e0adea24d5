package scene_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/scene"
	"reconcile/internal/scene/script"
)

const podManifest = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: nginx
    image: nginx:1.27
`

// play plays a scene of a chapter that has one manifest.
func play(t *testing.T, text string) (scene.Played, error) {
	t.Helper()
	chapter := t.TempDir()
	manifests := filepath.Join(chapter, "manifests")
	require.NoError(t, os.Mkdir(manifests, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(manifests, "web.yaml"), []byte(podManifest), 0o644))
	s, err := script.Parse("x.scene", []byte(text))
	require.NoError(t, err)
	return scene.Play(t, s, chapter, cache)
}

// printed is the scene with all that was printed.
func printed(t *testing.T, text string) string {
	t.Helper()
	played, err := play(t, text)
	require.NoError(t, err)
	return string(played.Text)
}

func TestWhatIsPrintedStandsWhereItHappens(t *testing.T) {
	assert.Equal(t, `$ kubectl get pods -w &

$ kubectl get pods -w -o name &

$ kubectl create -f manifests/web.yaml
pod/web created
| NAME   READY   STATUS    RESTARTS   AGE
| web    0/1     Pending   0          0s
2| pod/web
| web    0/1     Pending   0          0s
2| pod/web
| web    0/1     ContainerCreating   0          0s
2| pod/web
| web    1/1     Running             0          0s
2| pod/web

stop 2

advance 10s

$ kubectl delete pod web --now
pod "web" deleted from default namespace
| web    1/1     Terminating         0          10s
| web    0/1     Completed           0          10s
| web    0/1     Completed           0          10s

$ kubectl get pods
No resources found in default namespace.
`, printed(t, `
$ kubectl get pods -w &
$ kubectl get pods -w -o name &
$ kubectl create -f manifests/web.yaml
stop 2
advance 10s
$ kubectl delete pod web --now
$ kubectl get pods
`))
}

func TestACommandInTheForegroundLetsTimePassAsItNeeds(t *testing.T) {
	assert.Equal(t, `$ kubectl create -f manifests/web.yaml
pod/web created

$ kubectl wait --for=delete pod/web --timeout=90s
error: timed out waiting for the condition on pods/web
[exit 1]

$ kubectl get pod web
NAME   READY   STATUS    RESTARTS   AGE
web    1/1     Running   0          90s
`, printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl wait --for=delete pod/web --timeout=90s
$ kubectl get pod web
`))
}

func TestACommandInTheBackgroundSaysHowItEnds(t *testing.T) {
	assert.Equal(t, `$ kubectl create -f manifests/web.yaml
pod/web created

$ kubectl wait --for=delete pod/web --timeout=30s &

$ kubectl wait --for=condition=Ready pod/web &

advance 1m
2| pod/web condition met
| error: timed out waiting for the condition on pods/web
| [exit 1]
`, printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl wait --for=delete pod/web --timeout=30s &
$ kubectl wait --for=condition=Ready pod/web &
advance 1m
`))
}

func TestACommandRunsInAContainer(t *testing.T) {
	assert.Equal(t, `$ kubectl create -f manifests/web.yaml
pod/web created

$ kubectl exec web -- hostname
web

$ kubectl exec -i web -- cat <<< 'two words'
two words

$ kubectl exec web -- sh -c 'exit 3'
command terminated with exit code 3
[exit 3]
`, printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl exec web -- hostname
$ kubectl exec -i web -- cat <<< 'two words'
$ kubectl exec web -- sh -c 'exit 3'
`))
}

func TestLinesEndWhereATerminalEndsThem(t *testing.T) {
	text := printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl exec web -- curl -sI localhost
`)
	assert.Contains(t, text, "HTTP/1.1 200 OK\n")
	assert.Regexp(t, `\nServer: nginx/1.27.\d+\n(.+\n)*$`, text, "no empty lines behind it")
}

func TestControllersComeToRestBetweenTwoRequests(t *testing.T) {
	text := printed(t, `
$ kubectl create -f manifests/web.yaml --dry-run=client -o yaml > other.yaml
edit other.yaml s/name: web/name: other/
$ kubectl get pods -w &
$ kubectl create -f manifests/web.yaml -f other.yaml
`)
	assert.Contains(t, text, `pod/web created
| NAME   READY   STATUS    RESTARTS   AGE
| web    0/1     Pending   0          0s
| web    0/1     Pending   0          0s
| web    0/1     ContainerCreating   0          0s
| web    1/1     Running             0          0s
pod/other created
| other   0/1     Pending             0          0s
`)
}

func TestWhatKubectlPrintsPastItsStreamsIsPrinted(t *testing.T) {
	assert.Contains(t, printed(t, `
edit manifests/web.yaml s/containers:/containers: [{name: first, image: "nginx:1.27"}, {name: other, image: "busybox:1.36", args: [echo, hello]}]/
edit manifests/web.yaml s/  - name: nginx/#/
edit manifests/web.yaml s/    image: nginx:1.27/#/
$ kubectl create -f manifests/web.yaml
$ kubectl logs web --tail=1
`), "Defaulted container \"first\" out of: first, other\n2025/06/02 09:00:00 [notice]")
}

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
	assert.Contains(t, text, "web    0/1     ImagePullBackOff   0          0s\n")
	assert.Contains(t, text, "web    1/1     Running   0          61s\n")
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

func TestAFileThatACommandWroteCanBeEdited(t *testing.T) {
	assert.Contains(t, printed(t, `
$ kubectl create -f manifests/web.yaml -o yaml --dry-run=client > mine.yaml
edit mine.yaml s/name: web/name: mine/
$ kubectl create -f mine.yaml
`), "pod/mine created\n")
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
		"# nodes: many\nrestart":                    `x.scene:1: # nodes: strconv.Atoi: parsing "many": invalid syntax`,
		"# limit: long\nrestart":                    `x.scene:1: # limit: time: invalid duration "long"`,
		"restart\ncrash nobody":                     `x.scene:2: there is no controller "nobody"`,
		"restart\nstop":                             "x.scene:2: no such command runs in the background",
		"edit a.yaml s/a/b/":                        "x.scene:1: open a.yaml: no such file or directory",
		"edit manifests/web.yaml s/apache/b/":       `x.scene:1: manifests/web.yaml does not contain "apache"`,
		"$ kubectl get pods > no/such/folder":       "x.scene:1: open no/such/folder: no such file or directory",
		"# limit: 1m\nrestart\n$ kubectl get ns -w": "x.scene:3: kubectl get ns -w has not ended after 1m0s: it waits for GET /api/v1/namespaces?resourceVersion=",
	} {
		_, err := play(t, text)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
	_, err := play(t, "# controllers: nosuch\nrestart")
	assert.ErrorContains(t, err, `x.scene:1: there is no controller "nosuch" here; there are: `)
}
