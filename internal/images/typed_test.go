//go:build !js

package images

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"reconcile/internal/images/agnhost"
	"reconcile/internal/script"
)

// list is where the rule's list is: which tutorials there are, and what is kept
// though nobody types it.
const list = "../../docs/typed.md"

// What containers can run is there because a page, a scene, a manifest, a tutorial of
// the list or a conformance test types it, or for a reason that the list gives.
func TestEveryCommandIsOfRealUse(t *testing.T) {
	found := typed{}
	found.inTheBook(t)
	found.inTheSuite(t)
	kept := reasons(t)
	for _, name := range runnable() {
		switch {
		case found[name] && kept[name]:
			assert.Fail(t, name+" is typed: take it off the list of what is kept, in docs/typed.md")
		case !found[name] && !kept[name]:
			assert.Fail(t, name+" is typed nowhere: say in docs/typed.md why it is there, or take it out")
		}
		delete(kept, name)
	}
	assert.Empty(t, kept, "docs/typed.md gives reasons for what is not there")
}

// runnable returns the commands of all images, and what agnhost can be.
func runnable() []string {
	all := map[string]bool{}
	for _, tagged := range repositories {
		for _, tag := range []string{"latest", "1.3", "2.53", "3.10", "5.7", "1.0", "1.20", "v2.0.4", "v2.5.1", "v2.5.2"} {
			if i := tagged(tag); i != nil {
				for file := range i.commands {
					all[path.Base(file)] = true
				}
			}
		}
	}
	for _, mode := range agnhost.Modes() {
		all["agnhost "+mode] = true
	}
	return slices.Sorted(maps.Keys(all))
}

var kept = regexp.MustCompile("(?m)^\\| (`.+`) \\| .+ \\|$")

// reasons returns what docs/typed.md keeps: a line may name several.
func reasons(t *testing.T) map[string]bool {
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, line := range kept.FindAllStringSubmatch(string(text), -1) {
		for name := range strings.SplitSeq(line[1], ", ") {
			names[strings.Trim(name, "`")] = true
		}
	}
	require.NotEmpty(t, names)
	return names
}

func (f typed) inTheBook(t *testing.T) {
	t.Helper()
	read := func(pattern string, take func(file string, text []byte)) {
		files, err := filepath.Glob(filepath.FromSlash("../../" + pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			take(file, text)
		}
	}
	for _, pattern := range []string{"chapters/*/testdata/*.scene",
		"internal/scene/testdata/*.scene", "internal/scene/testdata/tutorials/*.scene"} {
		read(pattern, func(file string, text []byte) {
			s, err := script.Parse(file, text)
			require.NoError(t, err)
			for _, step := range s.Steps {
				for c := step.Command; c != nil; c = c.Then {
					f.line(append([]string{"kubectl"}, c.Args...))
					f.script(c.Input)
				}
			}
		})
	}
	for _, pattern := range []string{"chapters/*/manifests/*.yaml",
		"internal/scene/testdata/tutorials/manifests/*.yaml"} {
		read(pattern, func(_ string, text []byte) { f.manifest(text) })
	}
	for _, pattern := range []string{"chapters/*.md", "chapters/*/*.md",
		"chapters/*/exercises/*.md", "workshop/*.md"} {
		read(pattern, func(_ string, text []byte) { f.page(string(text)) })
	}
	read("internal/images/testdata/shells/*.sh", func(_ string, text []byte) { f.script(string(text)) })
	read("chapters/*/exercises/*.right/*.md", func(_ string, text []byte) { f.answer(string(text)) })
}

// inTheSuite reads the tests of Kubernetes' conformance suite, in the version that
// docs/conformance.md counts, and the files beside them that hold no tests.
func (f typed) inTheSuite(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(out))
	text, err := os.ReadFile(filepath.Join(root, "test/conformance/testdata/conformance.yaml"))
	require.NoError(t, err)
	var tests []struct{ File string }
	require.NoError(t, yaml.Unmarshal(text, &tests))
	folders, marked := map[string]bool{}, map[string]bool{}
	for _, test := range tests {
		marked[filepath.Join(root, test.File)] = true
		folders[filepath.Dir(test.File)] = true
	}
	require.Greater(t, len(folders), 5)
	for _, helpers := range []string{"network", "pod", "service", "statefulset", "volume"} {
		folders["test/e2e/framework/"+helpers] = true
	}
	for folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			f.test(t, file, marked[file])
		}
	}
}
