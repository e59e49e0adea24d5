package stories

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	upstream "k8s.io/kubernetes/pkg/controller/statefulset"

	statefulset "reconcile/chapters/04-statefulset"
)

// Kubernetes' controller of StatefulSets does in each story the same as chapter
// 4's and chapter 6's, but for what apart says.
func TestStatefulSetsAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(statefulSetStories)) {
		t.Run(name, func(t *testing.T) {
			by := func(who controllers) string {
				p := &play{quiet: []string{"StatefulSet"}}
				return once(perform(t, who, p, func(p *play) {
					statefulSetStories[name](&setPlay{play: p})
				}))
			}
			kubernetes := by(ofStatefulSets)
			golden(t, filepath.Join("testdata", "statefulset", name+".txt"), kubernetes)
			compare(t, name, withoutRevisions(kubernetes), by(chapter4))
			compare6(t, name, kubernetes, by(chapter6))
		})
	}
}

// withoutRevisions leaves out that Kubernetes writes a revision for each
// template: before chapter 6 the book does not.
func withoutRevisions(text string) string {
	return ofRevisions.ReplaceAllString(text, "")
}

var ofRevisions = regexp.MustCompile(`(?m)^(create|gone|update) ControllerRevision .*\n`)

// once leaves out events that are repeated. A controller whose cache has not
// heard yet of a deletion deletes that Pod once more, which changes nothing, and
// says so. Whether it has is a matter of luck.
func once(text string) string {
	var lines []string
	var step []string // the events since something else happened
	for line := range strings.Lines(text) {
		switch {
		case !strings.HasPrefix(line, "  StatefulSet "):
			step = nil
		case slices.Contains(step, line):
			continue
		default:
			step = append(step, line)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// ofStatefulSets starts Kubernetes' controller.
func ofStatefulSets(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	sets := upstream.NewStatefulSetController(ctx, factory.Core().V1().Pods(),
		factory.Apps().V1().StatefulSets(), factory.Core().V1().PersistentVolumeClaims(),
		factory.Apps().V1().ControllerRevisions(), c.client)
	start()
	c.done.Go(func() { sets.Run(ctx, 5) })
}

// chapter4 starts the book's.
func chapter4(ctx context.Context, c *cluster) { c.book(ctx, statefulset.NewStatefulSets) }

// golden compares the record with a file, or writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	got = written() + ": go test -update\n\n" + got
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// written returns how a recording begins. The version is that of the code which is
// compiled, by the name of its folder: Go leaves a test without the list of its
// modules (debug.ReadBuildInfo has none).
func written() string {
	code := runtime.FuncForPC(reflect.ValueOf(upstream.NewStatefulSetController).Pointer())
	file, _ := code.FileLine(code.Entry())
	_, version, _ := strings.Cut(file, "/kubernetes@")
	version, _, _ = strings.Cut(version, "/")
	return "# Written by Kubernetes " + version
}

// compare asserts that Kubernetes and the book part where apart says.
func compare(t *testing.T, name, kubernetes, ours string) {
	t.Helper()
	assert.Equal(t, strings.TrimLeft(apart[name].lines, "\n"),
		difference(kubernetes, ours), "- Kubernetes, + ours: %s", apart[name].because)
}

// compare6 does the same for chapter 6, which has what is missing until then.
func compare6(t *testing.T, name, kubernetes, ours string) {
	t.Helper()
	if slices.Contains(mended, name) {
		assert.Equal(t, kubernetes, ours, "chapter 6 has revisions")
		return
	}
	compare(t, name, kubernetes, ours)
}
