package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab/snapshot"
)

func TestDamageIsToldWithItsPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lab.json")
	c := startCluster(t, path)
	c.create(configMap("a"))
	c.create(configMap("b"))
	require.NoError(t, c.keeper.Close())
	whole := read(t, path)
	lines := strings.SplitAfter(whole, "\n")
	require.Len(t, lines, 5, "a line each for the frame and its objects")

	for name, damage := range map[string]struct{ text, says string }{
		"nothing":      {"", ": the file is empty"},
		"cut off":      {whole[:len(whole)/2], ":2: this is no snapshot: unexpected end"},
		"not JSON":     {"apiVersion: v1\nkind: List\n", ":1: this is no snapshot: invalid character 'a'"},
		"another JSON": {`{"apiVersion":"v1","kind":"List"}`, `:1: this is no snapshot: it has apiVersion "v1" and kind "List"`},
		"a list":       {"[]", ":1: this is no snapshot: json: cannot unmarshal array"},
		"a number of an object": {
			strings.Replace(whole, `"name":"b"`, `"name":7`, 1), ":3: "},
		"an unknown field": {
			strings.Replace(whole, `"name":"b"`, `"name":"b","nmae":"c"`, 1),
			`:3: ConfigMap default/b: unknown field "metadata.nmae"`},
		"an unknown kind": {
			strings.Replace(whole, `"kind":"ConfigMap"`, `"kind":"Gadget"`, 1),
			`:2: no matches for kind "Gadget"`},
		"no uid": {
			strings.Replace(whole, `"uid"`, `"selfLink"`, 1),
			":2: ConfigMap default/a has no uid"},
		"no version": {
			strings.Replace(whole, `"resourceVersion":"2"`, `"resourceVersion":"x"`, 1),
			`:1: resourceVersion: strconv.ParseUint: parsing "x": invalid syntax`},
		"the same twice": {
			strings.Replace(whole, `"name":"b"`, `"name":"a"`, 1),
			":3: ConfigMap default/a is there twice"},
		"the same line twice": {
			lines[0] + lines[1] + strings.TrimSuffix(lines[1], ",\n") + "\n" + lines[3],
			":3: ConfigMap default/a is there twice"},
		"version of the future": {
			strings.Replace(whole, `"resourceVersion":"1"`, `"resourceVersion":"99"`, 1),
			":2: ConfigMap default/a is newer than the file: resourceVersion 99, and 2"},
	} {
		require.NoError(t, os.WriteFile(path, []byte(damage.text), 0o644))
		_, err := snapshot.Open(path, controlloop.CoreKinds())
		require.Error(t, err, name)
		assert.ErrorContains(t, err, path+damage.says, name)
		assert.ErrorContains(t, err, "The file is left as it is.", name)
		assert.Equal(t, damage.text, read(t, path), name)
		assert.NoFileExists(t, path+".lock", name)
	}
}
