package onstage_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/names"

	"reconcile/internal/scene"
	"reconcile/internal/script"
)

// TestMain has the programs know that the lab serves no rules of devices' taints:
// without a cache of them kube-scheduler schedules nothing. On one processor, of what
// several watches tell at one instant the same is heard first each time.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	klog.SetLogger(logr.Discard())
	if err := utilfeature.DefaultMutableFeatureGate.Set("DRADeviceTaintRules=false"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// performance is a scene as Kubernetes' controllers have played it.
type performance struct {
	name    string
	ours    *script.Script // as the book has it
	theirs  *script.Script
	writers []string // which of Kubernetes' wrote, by what they call themselves
}

// perform has Kubernetes' controllers play a scene.
func perform(t *testing.T, file, cache string) performance {
	t.Helper()
	chapter := filepath.Dir(filepath.Dir(file))
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	p := performance{name: filepath.Base(chapter) + "/" + strings.TrimSuffix(filepath.Base(file), ".scene")}
	p.ours = p.parse(t, content)
	w := &wire{wrote: map[string]bool{}, events: map[string]int{}}
	others := scene.Others{
		Names: slices.DeleteFunc(played(), func(name string) bool { return name == ours[p.name] }),
		Fill: func(names []string, api http.RoundTripper) (run, end func(), err error) {
			w.next = api
			return fill(names, w, strings.Contains(p.ours.Setting("with", ""), "no-force"))
		},
		AtOnce: locked, Wrote: w.recordWriter,
	}
	until, rest := p.cue(content)
	err = scene.PlayBeside(t, p.parse(t, until), chapter, cache, false, others, func(so scene.Played) *script.Script {
		p.theirs = p.parse(t, so.Text)
		if len(p.theirs.Steps) == len(p.ours.Steps) {
			return nil
		}
		return p.parse(t, slices.Concat(until, []byte(p.named(rest))))
	})
	require.NoError(t, err)
	p.writers = w.writers()
	return p
}

// plays is how often a scene is played at most. Which of two nodes whose Pods are
// alike has to give way, which of two volumes a claim gets, and who hears first of
// what happens at one instant is luck where Kubernetes plays; what is asked is
// whether it does print what the book prints.
const plays = 20

// performed has Kubernetes' controllers play a scene until all that is printed
// otherwise has a reason, and returns that play, with the differences.
func (all reasons) performed(t *testing.T, file, cache string) (p performance, found []difference) {
	t.Helper()
	for range plays {
		p = perform(t, file, cache)
		found = compare(p.ours, p.theirs)
		if !slices.ContainsFunc(found, func(d difference) bool { return all.reasonOf(p, d) == nil }) {
			break
		}
	}
	return p, found
}

func (p performance) parse(t *testing.T, content []byte) *script.Script {
	t.Helper()
	s, err := script.Parse(p.name, content)
	require.NoError(t, err)
	return s
}

// cue returns a script up to its first command with a name that was made up, which
// is another name where Kubernetes plays, and the rest.
func (p performance) cue(content []byte) (until, rest []byte) {
	for _, step := range p.ours.Steps {
		if step.Command != nil && made[0].MatchString(strings.Join(step.Text(), "\n")) {
			lines := strings.SplitAfter(string(content), "\n")
			return []byte(strings.Join(lines[:step.Line-1], "")), []byte(strings.Join(lines[step.Line-1:], ""))
		}
	}
	return content, nil
}

// named returns a text with the names as they are where Kubernetes plays.
func (p performance) named(text []byte) string {
	names := map[string]string{}
	for theirs, ours := range pairs(made[0], printed(p.ours), printed(p.theirs)) {
		names[ours] = theirs
	}
	return made[0].ReplaceAllStringFunc(string(text), func(name string) string {
		if theirs := names[name]; theirs != "" {
			return theirs
		}
		return name
	})
}

// ours are the controllers whose place Kubernetes' don't take, by scene: it has one
// wait, while a lock is held, until another try is due, and another wait for the
// lock; in a bubble no time passes then.
var ours = map[string]string{
	"06-daemonset/intolerant": kcm.NodeLifecycleController,
	"06-daemonset/network":    kcm.NodeLifecycleController,
}

// Kubernetes' own controllers print what the book's do, in every scene of the book,
// but for what differences.txt says.
func TestScenesByKubernetes(t *testing.T) {
	files, err := filepath.Glob("../../chapters/*/testdata/*.scene")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	cache, reasons := t.TempDir(), readReasons(t)
	whole := true
	var all []string
	for _, file := range files {
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		name := filepath.Base(filepath.Dir(filepath.Dir(file))) + "/" + filepath.Base(file)
		if asksLoops(t, file) {
			continue // it's about the book's own
		}
		ran := false
		t.Run(strings.TrimSuffix(name, ".scene"), func(t *testing.T) {
			ran = true
			p, found := reasons.performed(t, file, cache)
			all = append(all, reasons.judge(t, p, found))
		})
		whole = whole && ran
	}
	if *update && !whole {
		t.Error("verdicts.txt has all scenes, and is written only after all: leave out -run")
	}
	if whole && !t.Failed() {
		reasons.allNeeded(t)
		verdicts(t, all)
	}
}

// asksLoops reports whether a scene asks what an object waits for, which loops know.
func asksLoops(t *testing.T, file string) bool {
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Contains(string(content), "\nwhy ")
}
