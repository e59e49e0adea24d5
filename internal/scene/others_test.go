package scene_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab"
	"reconcile/internal/scene"
	"reconcile/internal/script"
)

func TestOthersPlayInThePlaceOfControllers(t *testing.T) {
	s, err := script.Parse("x.scene", []byte(`
# controllers: none
$ kubectl get configmaps
`))
	require.NoError(t, err)
	var asked, wrote []string
	create := func(api http.RoundTripper, name string) {
		request, err := http.NewRequest(http.MethodPost, "http://lab/api/v1/namespaces/default/configmaps", strings.NewReader(
			`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "`+name+`"}}`))
		if !assert.NoError(t, err) {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := api.RoundTrip(request)
		if assert.NoError(t, err) {
			assert.Equal(t, http.StatusCreated, response.StatusCode)
			assert.NoError(t, response.Body.Close())
		}
	}
	ended := false
	others := scene.Others{
		Names: []string{lab.SchedulerName, "deployment-controller"},
		Fill: func(names []string, api http.RoundTripper) (run, end func(), err error) {
			asked = names
			create(api, "before")
			return func() { go create(api, "theirs") }, func() { ended = true }, nil
		},
		AtOnce: func(*http.Request) bool { return false },
		Wrote:  func(r *http.Request) { wrote = append(wrote, r.URL.Path) },
	}
	var text string
	err = scene.PlayBeside(t, s, t.TempDir(), cache, false, others, func(p scene.Played) *script.Script {
		text = string(p.Text)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{lab.SchedulerName}, asked, "of those that the scene's lab has")
	assert.Contains(t, text, "\nbefore   0")
	assert.Contains(t, text, "\ntheirs   0")
	assert.Empty(t, wrote, "nobody had begun to act")
	assert.True(t, ended)
}

func TestNoPodIsPlacedWhereAnotherSchedulerIdles(t *testing.T) {
	s, err := script.Parse("x.scene", []byte(`
$ kubectl run web --image=nginx:1.27
$ kubectl get pods
`))
	require.NoError(t, err)
	others := scene.Others{
		Names: []string{lab.SchedulerName},
		Fill: func([]string, http.RoundTripper) (run, end func(), err error) {
			return func() {}, func() {}, nil
		},
	}
	err = scene.PlayBeside(t, s, t.TempDir(), cache, false, others, func(p scene.Played) *script.Script {
		assert.Contains(t, string(p.Text), "web    0/1     Pending")
		return nil
	})
	require.NoError(t, err)
}
