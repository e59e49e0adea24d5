package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
)

// runLab runs a lab of two machines behind its API, with its page below /look/.
func runLab(t *testing.T) string {
	t.Helper()
	l, err := lab.New(lab.Options{Nodes: 2})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Run(ctx)
	}()
	routes := http.NewServeMux()
	routes.Handle("/", l.Handler)
	routes.Handle("/look/", http.StripPrefix("/look", l.Look.Serve(l.Do, l.WaitsNow)))
	server := httptest.NewServer(routes)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		stop()
		<-ended
		l.Close()
	})
	return server.URL
}

// asks sends what kubectl would.
func asks(t *testing.T, as, method, address, kind, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Kubectl-Command", as)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Less(t, answer.StatusCode, 300)
}

const threeOfWeb = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
  "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}}}`

// choose sets a select of the bar.
func (v views) choose(label, value string) {
	v.t.Helper()
	it := `document.querySelector('[aria-label=` + quote(label) + `]')`
	v.wait(`[...` + it + `.options].some((option) => option.value === ` + quote(value) + `)`)
	ask[bool](v.tab, `(() => { const it = `+it+`; it.value = `+quote(value)+`; it.dispatchEvent(new Event("change")); return true; })()`)
}

func TestLookIntoALabThatIsHeldAndBroken(t *testing.T) {
	t.Parallel()
	v := views{newTab(t, 1440)}
	address := runLab(t)
	v.open(address + "/look/")
	deployments := address + "/apis/apps/v1/namespaces/default/deployments"

	v.says(".changes", "isn’t known.")
	assert.Regexp(t, `What was before \d\d:\d\d:\d\d isn’t known`, v.text(".changes"))
	v.choose("which loop", "deployment")
	v.click(".hold button", "Pause")
	v.says(".look", "deployment: paused")
	asks(t, "kubectl create", "POST", deployments, "application/json", threeOfWeb)
	v.says(".loops", "paused, queue 1")
	assert.Zero(t, v.count(".pod:not(.free)"), "a wish, and nobody sees to it")
	v.click(".hold button", "Step")
	v.wait(`document.querySelectorAll(".pod.ready").length === 3`)
	v.click(".hold button", "Go on")
	v.says(".look", "deployment: goes on")

	v.choose("what to break", "drop")
	v.choose("of what", "deployment")
	ask[bool](v.tab, `document.querySelector(".hold details").open = true`)
	v.click(".hold form button", "Break it")
	v.says(".look", "deployment: its next event will be dropped")
	asks(t, "kubectl scale", "PATCH", deployments+"/web/scale", "application/merge-patch+json", `{"spec":{"replicas":5}}`)
	v.says(".changes", "an event is dropped: default/web is not in the queue")
	assert.Equal(t, 3, v.count(".pod:not(.free)"))
	v.click(".hold button", "Resync")
	v.wait(`document.querySelectorAll(".pod.ready").length === 5`)

	v.choose("what to break", "conflict")
	v.choose("of what", "replicaset")
	v.click(".hold form button", "Break it")
	v.says(".look", "replicaset: its next update will be refused")
	v.choose("which loop", "replicaset")
	asks(t, "kubectl scale", "PATCH", deployments+"/web/scale", "application/merge-patch+json", `{"spec":{"replicas":6}}`)
	v.says(".changes", "refused, a conflict: ReplicaSet default/web-")
	v.wait(`document.querySelectorAll(".pod.ready").length === 6`)
	assertAccessible(t, v.tab)
	for _, width := range []int64{320, 390} {
		for _, open := range []string{"true", "false"} {
			v.resize(width)
			ask[bool](v.tab, `document.querySelector(".hold details").open = `+open+`, true`)
			assert.LessOrEqual(t, ask[int](v.tab, "document.documentElement.scrollWidth"), int(width), "Break it is open: %s", open)
		}
	}
	console, _ := v.said()
	assert.Empty(t, console)
}
