package scene_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/scene"
	"reconcile/internal/script"
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

// printed returns the scene with all that was printed.
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

func TestSomebodyLooksIntoAPodThatRuns(t *testing.T) {
	assert.Contains(t, printed(t, `
$ kubectl create -f manifests/web.yaml
advance 1m
$ kubectl debug -i web --image=busybox:1.28 --target=nginx -c look -- ps
$ kubectl debug web --image=busybox -c stay -- sleep 1000
$ kubectl logs web -c look
$ kubectl get pod web -o jsonpath='{.status.ephemeralContainerStatuses[*].state.running.startedAt}'
`), `
$ kubectl debug web --image=busybox -c stay -- sleep 1000

$ kubectl logs web -c look
PID   USER     TIME  COMMAND
    1 root      0:00 nginx -g daemon off;
    2 root      0:00 ps

$ kubectl get pod web -o jsonpath='{.status.ephemeralContainerStatuses[*].state.running.startedAt}'
2025-06-02T09:01:00Z
`)
}

func TestKubectlCompletesWhatIsThere(t *testing.T) {
	text := printed(t, `
$ kubectl create -f manifests/web.yaml
$ kubectl __completeNoDesc get pods w
$ kubectl __completeNoDesc get pods --namespace kube-s
$ kubectl __completeNoDesc create -f ''
`)
	assert.Contains(t, text, "get pods w\nweb\n:4\n")
	assert.Contains(t, text, "--namespace kube-s\nkube-system\n:4\n")
	assert.Contains(t, text, "create -f ''\njson\nyaml\nyml\n:8\n", "files that end so")
}
