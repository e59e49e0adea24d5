package stories

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/kinds"
)

// Kubernetes' controller of DaemonSets does in each story the same as chapter
// 6's, but for what apart says. If they do not part, their objects are the
// same in every field.
func TestDaemonSetsAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(daemonStories)) {
		t.Run(name, func(t *testing.T) {
			kubernetes, theirs := playDaemons(t, name, ofDaemonSets)
			golden(t, filepath.Join("testdata", "daemonset", name+".txt"), kubernetes)
			book, ours := playDaemons(t, name, daemons)
			compare(t, name, kubernetes, book)
			if _, part := apart[name]; !part {
				assert.Empty(t, difference(theirs, ours), "what was made, whole")
			}
		})
	}
}

// playDaemons plays a story over some controllers. It returns the record of it,
// and the objects that were made.
func playDaemons(t *testing.T, name string, by controllers) (text, made string) {
	t.Helper()
	s := &daemonPlay{play: &play{quiet: []string{"DaemonSet"}, unordered: true}}
	s.rename = s.byNode
	text = perform(t, by, s.play, func(*play) { daemonStories[name](s) })
	text = s.byNode(once(text))
	if s.alike {
		text = inOrderOfAppearance(text)
	}
	return text, s.made()
}

// ofDaemonSets starts Kubernetes' controller. The book's collector looks after
// owners and dependents, here as there.
func ofDaemonSets(ctx context.Context, c *cluster) {
	factory, start := c.informed(ctx)
	sets, err := daemon.NewDaemonSetsController(ctx, factory.Apps().V1().DaemonSets(),
		factory.Apps().V1().ControllerRevisions(), factory.Core().V1().Pods(),
		factory.Core().V1().Nodes(), c.client,
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	require.NoError(c.t, err)
	start()
	c.done.Go(func() { sets.Run(ctx, 2) })
	collect(ctx, c)
}

// daemons starts the book's.
func daemons(ctx context.Context, c *cluster) {
	c.book(ctx, daemonset.NewDaemonSets)
	collect(ctx, c)
}

// collect starts the garbage collector for a DaemonSet's objects. It does not
// hurry: by then caches have heard that the set is gone. Those of Kubernetes, which
// are at the other end of a wire, would make its revisions anew for a while.
func collect(ctx context.Context, c *cluster) {
	system := &controlloop.System{Client: slow{c.store}}
	collector(system)
	c.done.Go(func() { system.Run(ctx) })
}

// slow is a client that takes its time to delete.
type slow struct{ controlloop.Client }

// Delete implements controlloop.Client.
func (s slow) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key, opts metav1.DeleteOptions,
) error {
	time.Sleep(100 * time.Millisecond)
	return s.Client.Delete(ctx, kind, key, opts)
}

func collector(s *controlloop.System) *controlloop.Controller {
	var owned []kinds.Kind
	for _, kind := range kinds.All() {
		switch kind.GroupVersionKind {
		case daemonset.DaemonSetKind, daemonset.RevisionKind, controlloop.PodKind:
			owned = append(owned, kind)
		}
	}
	return deployment.NewCollector(s, kinds.Store(owned))
}

var (
	ofDaemons = regexp.MustCompile(`\bweb-[a-z0-9]{5}\b`)
	ofNodes   = regexp.MustCompile(`\bnode-\d+\b`)
	ofNames   = regexp.MustCompile(`\bnode-(\d+|[A-Z])\b`)
	listed    = regexp.MustCompile(`^  web@`)
)

// byNode calls the Pods of a set by their nodes: which name the server makes up
// for which of them is a matter of luck.
func (s *daemonPlay) byNode(text string) string {
	return ofDaemons.ReplaceAllStringFunc(text, func(name string) string {
		for _, w := range s.c.writes {
			if w.Object.GetName() == name && w.Object.GetGenerateName() != "" {
				return "web@" + nodeOf(w.Object.(*corev1.Pod))
			}
		}
		return name
	})
}

// inOrderOfAppearance names the nodes of each step anew: of those that are
// alike Kubernetes takes any.
func inOrderOfAppearance(text string) string {
	steps := strings.SplitAfter(text, "\n\n")
	for i, step := range steps {
		names := map[string]string{}
		named := func(text string) string {
			return ofNodes.ReplaceAllStringFunc(text, func(node string) string {
				if names[node] == "" {
					names[node] = "node-" + string(rune('A'+len(names)))
				}
				return names[node]
			})
		}
		lines := strings.SplitAfter(step, "\n")
		atOnce(lines, func(like []string) {
			slices.SortStableFunc(like, func(a, b string) int { // a node that has a name is first
				return cmp.Compare(len(names[ofNodes.FindString(b)]), len(names[ofNodes.FindString(a)]))
			})
			for i := range like {
				if !listed.MatchString(like[i]) {
					like[i] = named(like[i])
				}
			}
		})
		for i := range lines {
			lines[i] = named(lines[i])
		}
		atOnce(lines, slices.Sort[[]string])
		steps[i] = strings.Join(lines, "")
	}
	return strings.Join(steps, "")
}

// atOnce calls do for each run of lines that say the same of different nodes.
func atOnce(lines []string, do func(like []string)) {
	said := func(line string) string { return ofNames.ReplaceAllString(line, "") }
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && said(lines[n]) == said(lines[0]) {
			n++
		}
		do(lines[:n])
		lines = lines[n:]
	}
}

// made returns the Pods and revisions that a controller has made, with all
// their fields; the node stands aside.
func (s *daemonPlay) made() string {
	var all []string
	for n, w := range s.c.writes {
		if w.Type != watch.Added || s.own[n] {
			continue
		}
		switch w.Object.(type) {
		case *corev1.Pod, *appsv1.ControllerRevision:
			all = append(all, wholeOf(s.t, w.Object))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "---\n")
}

func wholeOf(t *testing.T, obj controlloop.Object) string {
	obj = controlloop.Copy(obj)
	obj.SetManagedFields(nil)
	obj.SetResourceVersion("")
	if obj.GetGenerateName() != "" {
		obj.SetName("")
	}
	text, err := yaml.Marshal(obj)
	require.NoError(t, err)
	for with, pattern := range map[string]*regexp.Regexp{
		"(time)": stamps, "(uid)": uids, "(node)": ofNodes,
	} {
		text = pattern.ReplaceAll(text, []byte(with))
	}
	return string(text)
}
