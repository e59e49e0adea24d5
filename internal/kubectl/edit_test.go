package kubectl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubectl"
)

const edited = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: nginx
        image: nginx:1.27
      - name: log
        image: busybox
`

func TestAPatchHasWhatWasEdited(t *testing.T) {
	for name, c := range map[string]struct{ to, patch string }{
		"nothing":        {edited, `{}`},
		"a number":       {replaced(edited, "replicas: 3", "replicas: 5"), `{"spec":{"replicas":5}}`},
		"a field taken":  {replaced(edited, "  replicas: 3\n", ""), `{"spec":{"replicas":null}}`},
		"a comment":      {"# to be read\n" + edited, `{}`},
		"by its own key": {replaced(edited, "nginx:1.27", "nginx:1.28"), `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"nginx"},{"name":"log"}],"containers":[{"image":"nginx:1.28","name":"nginx"}]}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			patch, err := kubectl.PatchOf([]byte(edited), []byte(c.to))
			require.NoError(t, err)
			assert.JSONEq(t, c.patch, string(patch))
		})
	}
}

func TestWhatCannotBeEditedIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"another name":  {edited, replaced(edited, "name: web", "name: www"), "At least one of apiVersion, kind and name was changed"},
		"no YAML":       {edited, replaced(edited, "replicas: 3", "replicas: : 3"), "line 6"},
		"a field twice": {edited, replaced(edited, "  replicas: 3\n", "  replicas: 3\n  replicas: 4\n"), `key "replicas" already set in map`},
		"no such kind":  {replaced(edited, "Deployment", "Deploymint"), edited, `no kind "Deploymint" is registered for version "apps/v1"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kubectl.PatchOf([]byte(c.from), []byte(c.to))
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func replaced(text, old, new string) string { return strings.Replace(text, old, new, 1) }
