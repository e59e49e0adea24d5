package stories

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/podgc"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"reconcile/chapters/06-daemonset/node"
	bookbudget "reconcile/chapters/06-daemonset/node/budget"
	bookgc "reconcile/chapters/06-daemonset/node/podgc"
)

// Kubernetes looks so often at all nodes, and at all Pods: it does not act when it
// is time, but when it looks next. At a node it looks whether there was a beat, and
// whether the last is too long ago, so that it may be late twice; and so it may
// with a Pod's node, whether it is missing and whether it still is.
const (
	looksAtNodes = 5 * time.Second
	looksAtPods  = 20 * time.Second
)

// Kubernetes' controllers of nodes, and of the Pods on them, do in each story
// the same as chapter 6's, at the same time, but for what apart says and for how
// often Kubernetes looks.
func TestNodesAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(nodeStories)) {
		t.Run(name, func(t *testing.T) {
			by := func(who controllers) string {
				s := &nodePlay{play: &play{}}
				text := perform(t, who, s.play, func(p *play) {
					defer s.stopAll()
					nodeStories[name](s)
				})
				if s.alike {
					text = named(text)
				}
				return onceAStep(text)
			}
			kubernetes := by(upstreamNodes)
			golden(t, filepath.Join("testdata", "nodes", name+".txt"), roughly(kubernetes))
			book := by(nodes)
			compare(t, name, timeless.ReplaceAllString(kubernetes, ""), timeless.ReplaceAllString(book, ""))
			inTime(t, kubernetes, book)
		})
	}
}

var (
	timeless = regexp.MustCompile(`(?m)^ *(\d+)s `)
	isEvent  = regexp.MustCompile(`^  \w+ \S+: (Normal|Warning) `)
)

// ofGC matches the work of the collector of Pods.
var ofGC = regexp.MustCompile(`PodGC|gone Pod|delete Pod|status\.(phase|observedGeneration)`)

// isPunctual reports whether Kubernetes says so in the same second in each run.
func isPunctual(line string) bool {
	return strings.Contains(line, " Node ") && !strings.Contains(line, ":NoExecute")
}

// roughly leaves out the second where it is a matter of luck: a collector that
// looks each 20 s for Pods whose node has been missing for 40 s finds them after
// 40 or 60, and of nodes that wait to be emptied Kubernetes at times tells one
// twice, which costs the next another 10 s.
func roughly(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !isPunctual(line) {
			line = timeless.ReplaceAllString(line, "      ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// onceAStep leaves out events that the same step has already: how often a
// controller looks at an object that has not changed is a matter of luck.
func onceAStep(text string) string {
	told := map[string]bool{}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "> ") {
			clear(told)
		}
		if strings.HasPrefix(line, "  ") && told[line] && isEvent.MatchString(line) {
			continue
		}
		told[line] = true
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// inTime asserts that the book acts when Kubernetes does: not later, and
// not so much earlier that it could not be because Kubernetes has not
// looked.
func inTime(t *testing.T, kubernetes, book string) {
	t.Helper()
	at := func(text string) map[string][]int {
		all := map[string][]int{}
		step := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "> ") {
				step = line
			}
			if when := timeless.FindStringSubmatch(line); when != nil {
				seconds, err := strconv.Atoi(when[1])
				require.NoError(t, err)
				what := step + timeless.ReplaceAllString(line, "")
				all[what] = append(all[what], seconds)
			}
		}
		return all
	}
	ours := at(book)
	for what, theirs := range at(kubernetes) {
		late := 2 * looksAtNodes
		switch {
		case ofGC.MatchString(what):
			late = 2 * looksAtPods
		case !isPunctual(what):
			late += 10 * time.Second // see roughly
		}
		for n, second := range theirs {
			if n >= len(ours[what]) {
				continue // compare has said so
			}
			apart := time.Duration(second-ours[what][n]) * time.Second
			assert.True(t, apart >= -time.Second && apart <= late, "%sKubernetes after %d s, the book after %d s", what, second, ours[what][n])
		}
	}
}

// upstreamNodes starts Kubernetes' controllers, as its controller manager does.
func upstreamNodes(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	core, apps := factory.Core().V1(), factory.Apps().V1()
	lifecycle, err := nodelifecycle.NewNodeLifecycleController(ctx,
		factory.Coordination().V1().Leases(), core.Pods(), core.Nodes(), apps.DaemonSets(), c.client,
		looksAtNodes, time.Minute, 50*time.Second, 0.1, 0.01, 50, 0.55)
	require.NoError(c.t, err)
	evictor, err := tainteviction.New(ctx, c.client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	require.NoError(c.t, err)
	gc := podgc.NewPodGC(ctx, c.client, core.Pods(), core.Nodes(), 12500)
	found := c.client.Discovery()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	scales := scale.New(found.RESTClient(), mapper, dynamic.LegacyAPIPathResolverFunc,
		scale.NewDiscoveryScaleKindResolver(found))
	budgets := disruption.NewDisruptionController(ctx, core.Pods(),
		factory.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(), apps.ReplicaSets(),
		apps.Deployments(), apps.StatefulSets(), c.client, mapper, scales, found)
	start()
	c.done.Go(func() { lifecycle.Run(ctx) })
	c.done.Go(func() { evictor.Run(ctx) })
	c.done.Go(func() { gc.Run(ctx) })
	c.done.Go(func() { budgets.Run(ctx, 5) })
}

// nodes starts the book's.
func nodes(ctx context.Context, c *cluster) {
	c.book(ctx, node.NewLifecycle, node.NewTaintEviction,
		bookgc.New, bookbudget.New)
}
