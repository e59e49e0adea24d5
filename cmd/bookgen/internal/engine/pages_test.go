package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/licences"
)

func chapters(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"01-first/testdata/a.scene": "restart\n", "01-first/testdata/a.json": "{}", "01-first/manifests/sub/a.yaml": "a: b\n",
		"02-second/testdata/b.txt": "b",
	} {
		name = filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, chapter := range []string{"03-rolling-update", "05-storage", "07-mysql-cluster"} { // a cluster begins with some of theirs
		manifests := os.DirFS(filepath.Join("../../../../chapters", chapter, "manifests"))
		require.NoError(t, os.CopyFS(filepath.Join(folder, chapter, "manifests"), manifests))
	}
	return folder
}

func TestTheScriptOfASiteWithTheEngineAsksForIt(t *testing.T) {
	files := map[string][]byte{"01-first/index.html": []byte("page"), "assets/book.js": []byte("const load = 1;\n"), "assets/book.css": nil}
	m := &Module{Name: "engine-1.wasm", Raw: 3, Gzip: []byte("gz"), Brotli: []byte("b"), support: []byte("go"), notices: []byte("Go MIT")}
	require.NoError(t, m.AddTo(files, chapters(t)))

	assert.Equal(t, "page", string(files["01-first/index.html"]), "no page is another")
	assert.Regexp(t, `^const load = 1;\n(?s).*querySelectorAll\("\.output\.scene:has\(figcaption a\)"\)`, string(files["assets/book.js"]))
	assert.Contains(t, string(files["assets/book.css"]), ".live input")

	assert.Equal(t, "gz", string(files["assets/engine-1.wasm.gz"]))
	assert.Equal(t, "b", string(files["assets/engine-1.wasm.br"]))
	assert.Equal(t, "go", string(files["assets/live-go.js"]))
	assert.Equal(t, "Go MIT", string(files["assets/live-licences.txt"]), "to which player.js leads")
	assert.True(t, strings.HasPrefix(string(files["assets/live.js"]), `const engine = {"name":"engine-1.wasm","raw":3,"gzip":2,"brotli":1};`))
	assert.JSONEq(t, `{"scenes": {"a.scene": "restart\n"}, "manifests": {"sub/a.yaml": "a: b\n"}}`, string(files["assets/live-01-first.json"]))
	assert.NotContains(t, files, "assets/live-02-second.json", "nothing is played there")
}

func TestWhatIsLoadedBeforeAReaderAsksIsAKilobyte(t *testing.T) {
	files := map[string][]byte{}
	require.NoError(t, asked(files, "prompt.css", "begin.js"))
	assert.Less(t, len(files["assets/book.js"]), 1100)
}

func TestASiteWithTheEngineHasTheEditorAndWhatAClusterBeginsWith(t *testing.T) {
	files := map[string][]byte{}
	require.NoError(t, new(Module).AddTo(files, "../../../../chapters"))
	assert.Contains(t, string(files["assets/live-play.json"]), "# A Deployment of three, with a Service\\n# nodes: 3")
	assert.Contains(t, string(files["assets/live-play.json"]), `"mysql-statefulset.yaml":"apiVersion`)
	assert.Contains(t, string(files["assets/code.js"]), "codeEditor")
}

func TestTheNoticesAreOfWhatIsCompiledForPages(t *testing.T) {
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	text, err := notices(t.Context(), "../../../..", filepath.Join(cache, "reconcile"))
	require.NoError(t, err)
	table := licences.TableOf(string(text))
	assert.Regexp(t, `(?m)^k8s\.io/kubectl +v\S+, changed +Apache-2\.0$`, table)
	assert.Regexp(t, `(?m)^mvdan\.cc/sh/v3 +v\S+, changed +BSD-3-Clause$`, table)
	assert.Regexp(t, `(?m)^Go +go`, table)
	assert.NotContains(t, table, licences.Unknown)
	assert.NotContains(t, table, "goldmark", "that makes pages, and is in none")
}
