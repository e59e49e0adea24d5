package conformance_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spaces are the gaps between columns.
var spaces = regexp.MustCompile(` {2,}`)

// cells returns the columns of a table's row.
func cells(line string) []string {
	return spaces.Split(strings.TrimRight(line, " "), -1)
}

// table returns a command's output by row.
func table(out string) (rows [][]string) {
	for line := range strings.Lines(out) {
		rows = append(rows, cells(strings.TrimSuffix(line, "\n")))
	}
	return rows
}

func (u *user) runningPod() {
	u.t.Helper()
	u.apply(webPod)
	u.ok("wait", "--for=condition=Ready", "pod/web")
}

func TestGetPrintsObjectsInEveryForm(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	yaml := u.ok("get", "configmap", "settings", "-o", "yaml")
	assert.True(t, strings.HasPrefix(yaml, "apiVersion: v1\ndata:\n  color: red\n  size: small\nkind: ConfigMap\n"), yaml)
	assert.NotContains(t, yaml, "managedFields")

	var object struct {
		Kind string
		Data map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(u.ok("get", "cm/settings", "-o", "json")), &object))
	assert.Equal(t, "ConfigMap", object.Kind)
	assert.Equal(t, "red", object.Data["color"])

	var list struct {
		Kind  string
		Items []struct{ Kind, APIVersion string }
	}
	require.NoError(t, json.Unmarshal([]byte(u.ok("get", "cm", "-o", "json")), &list))
	assert.Equal(t, "List", list.Kind)
	require.Len(t, list.Items, 2, "there is one in every namespace")
	assert.Equal(t, "ConfigMap", list.Items[1].Kind)

	u.says("configmap/kube-root-ca.crt\nconfigmap/settings", "get", "configmaps", "-o", "name")
	u.says("red", "get", "cm", "settings", "-o", "jsonpath={.data.color}")
	u.says("small", "get", "cm", "settings", "-o", "go-template={{.data.size}}")
	assert.Equal(t, [][]string{{"WHO", "COLOR"}, {"kube-root-ca.crt", "<none>"}, {"settings", "red"}},
		table(u.ok("get", "cm", "-o", "custom-columns=WHO:.metadata.name,COLOR:.data.color")))
}

// four makes Secrets a, b, c and d, the last two of which are blue.
func (u *user) four() {
	u.t.Helper()
	var all []string
	for i, name := range []string{"c", "a", "d", "b"} {
		color := "blue"
		if name < "c" {
			color = "red"
		}
		all = append(all, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n"+
			"  name: %s\n  labels: {color: %s}\n  annotations: {order: \"%d\"}\n", name, color, i))
	}
	u.apply(strings.Join(all, "---\n"))
}

func TestGetTellsThatThereIsNothing(t *testing.T) {
	u := newUser(t)
	r := u.kubectl("get", "pods")
	assert.Equal(t, "No resources found in "+u.namespace+" namespace.\n", r.err)
	assert.Zero(t, r.code)
	assert.Equal(t, `Error from server (NotFound): pods "web" not found`, u.refused("get", "pod", "web"))
	u.says("", "get", "pod", "web", "--ignore-not-found")
	assert.Equal(t, `error: the server doesn't have a resource type "gadgets"`, u.refused("get", "gadgets"))
}

func TestGetAllListsWorkloads(t *testing.T) {
	u := newUser(t)
	u.apply(webDeployment)
	u.ok("wait", "--for=condition=Available", "deployment/web")
	u.ok("expose", "deployment", "web", "--port=80")
	out := u.ok("get", "all")
	for _, row := range []string{
		`pod/web-[a-z0-9]+-[a-z0-9]{5} +1/1 +Running`,
		`service/web +ClusterIP +10\.\d+\.\d+\.\d+ +<none> +80/TCP`,
		`deployment.apps/web +2/2 +2 +2`,
		`replicaset.apps/web-[a-z0-9]+ +2 +2 +2`,
	} {
		assert.Regexp(t, row, out)
	}
}

func TestGetWatches(t *testing.T) {
	u := newUser(t)
	u.four()
	all := u.startCommand("get", "secret", "-w")
	all.sees("d   ")
	blue := u.startCommand("get", "secret", "-w", "-l", "color=blue", "-o", "name")
	blue.sees("secret/d\n")
	only := u.startCommand("get", "secret", "--watch-only", "-o", "name")
	one := u.startCommand("get", "secret", "a", "-w", "-o", `jsonpath={.metadata.labels.color}{"\n"}`)
	one.sees("red")

	// One cannot tell when a watch without a list has begun.
	for i := range 1000 {
		u.ok("label", "secret", "b", "--overwrite", fmt.Sprintf("try=%d", i))
		if strings.Contains(only.out.String(), "secret/b") {
			break
		}
	}
	u.ok("label", "secret", "a", "--overwrite", "color=blue")
	one.sees("red\nblue\n")
	blue.sees("secret/a\n")
	only.sees("secret/a\n")
	u.ok("delete", "secret", "c")
	only.sees("secret/c\n")
	assert.NotContains(t, only.out.String(), "secret/d", "nothing happened to it")
	assert.NotContains(t, blue.out.String(), "secret/b", "it is red")
	assert.Equal(t, 1, strings.Count(all.out.String(), "NAME"), "one heading")
}

func TestGetAsksTheServerForAnything(t *testing.T) {
	u := newUser(t)
	assert.Contains(t, u.ok("get", "--raw", "/version"), `"gitVersion"`)
	assert.Equal(t, "ok", u.ok("get", "--raw", "/readyz"))
	assert.Contains(t, u.refused("get", "--raw", "/apis/example.com"), "NotFound")
}
