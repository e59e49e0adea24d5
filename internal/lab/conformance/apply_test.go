package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApplyMakesThenChangesThenLeavesAlone(t *testing.T) {
	u := newUser(t)
	file := u.file(settings)
	u.says("configmap/settings created", "apply", "-f", file)
	u.says("configmap/settings unchanged", "apply", "-f", file)
	u.says("configmap/settings configured", "apply", "-f", u.file(strings.Replace(settings, "red", "blue", 1)))
	u.says("blue", "get", "configmap", "settings", "-o", "jsonpath={.data.color}")
}

func TestApplyTakesAwayWhatTheManifestNoLongerSays(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	u.ok("patch", "configmap", "settings", "-p", `{"data":{"mine":"kept"}}`)
	u.apply(strings.Replace(settings, "  size: small\n", "", 1))
	u.says(`{"color":"red","mine":"kept"}`, "get", "configmap", "settings", "-o", "jsonpath={.data}")
}

func TestApplyKeepsWhatOthersHaveSet(t *testing.T) {
	u := newUser(t)
	u.apply(webDeployment)
	u.ok("scale", "deployment", "web", "--replicas=3")
	u.apply(strings.Replace(strings.Replace(webDeployment, "  replicas: 2\n", "", 1), "1.27", "1.28", 1))
	u.says("nginx:1.28", "get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
}

func TestApplyOfAWholeFile(t *testing.T) {
	u := newUser(t)
	u.says("configmap/settings created\npod/web created", "apply", "-f", u.file(settings+"---"+webPod))
	u.says("configmap/settings unchanged\npod/web unchanged", "apply", "-f", u.file(settings+"---"+webPod))
}

func TestApplyTakesLists(t *testing.T) {
	u := newUser(t)
	list := "apiVersion: v1\nkind: List\nitems:\n- " +
		strings.ReplaceAll(strings.TrimSpace(settings), "\n", "\n  ") + "\n"
	u.says("configmap/settings created", "apply", "-f", u.file(list))
}

func TestClientSideApplyCanBecomeServerSide(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	u.ok("apply", "--server-side", "-f", u.file(strings.Replace(settings, "  size: small\n", "", 1)))
	u.says(`{"color":"red"}`, "get", "configmap", "settings", "-o", "jsonpath={.data}")
}

func TestServerSideDryRunChangesNothing(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	blue := u.file(strings.Replace(settings, "red", "blue", 1))
	u.says("blue", "apply", "--dry-run=server", "-f", blue, "-o", "jsonpath={.data.color}")
	u.says("configmap/settings configured (server dry run)", "apply", "--dry-run=server", "-f", blue)
	u.says("configmap/settings serverside-applied (server dry run)",
		"apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", blue)
	u.says("red", "get", "configmap", "settings", "-o", "jsonpath={.data.color}")
}

func TestDiffShowsWhatApplyWouldDo(t *testing.T) {
	u := newUser(t)
	file := u.file(settings)
	r := u.kubectl("diff", "-f", file)
	require.Equal(t, 1, r.code, r.err)
	assert.Contains(t, r.out, "+  color: red")

	u.ok("apply", "-f", file)
	u.says("", "diff", "-f", file)
	for _, more := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
		blue := u.file(strings.Replace(settings, "red", "blue", 1))
		r = u.kubectl(append([]string{"diff", "-f", blue}, more...)...)
		require.Equal(t, 1, r.code, "%s: a difference is exit code 1", r.err)
		assert.Contains(t, r.out, "-  color: red\n+  color: blue\n")
	}
	u.says("red", "get", "configmap", "settings", "-o", "jsonpath={.data.color}")
}

func TestEditChangesWhatTheEditorDid(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	r := u.kubectl("edit", "configmap", "settings")
	assert.Equal(t, result{err: "Edit cancelled, no changes made.\n"}, r)

	u.ok("patch", "configmap", "settings", "-p", `{"data":{"color":"OLD"}}`)
	u.says("configmap/settings edited", "edit", "configmap", "settings")
	u.says("NEW", "get", "configmap", "settings", "-o", "jsonpath={.data.color}")
}
