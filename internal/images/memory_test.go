package images_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"reconcile/internal/apiserver/streams"
)

// small returns a Pod whose container may hold little.
func small(command ...string) *corev1.Pod {
	p := pod("web", "debian", command...)
	p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("512Ki"),
	}
	return p
}

// bombs are scripts that would hold more than any machine has.
var bombs = map[string]string{
	"a variable":        "a=xxxxxxxxxxxxxxxx; while true; do a=$a$a; done",
	"without a command": "a=xxxxxxxxxxxxxxxx; while a=$a$a; do b=; done",
	"one word":          "a=$(seq 10000); b=" + strings.Repeat("$a", 1000),
	"an argument":       "a=$(seq 10000); echo " + strings.Repeat("$a", 1000),
	"evaluated":         "a=xxxxxxxxxxxxxxxx; while true; do eval 'a=$a$a'; done",
	"sourced":           "a=xxxx; echo 'a=$a$a' > f; while true; do . ./f; done",
	"a function":        "f() { local b=$1$1; f $b; }; f xxxxxxxxxxxxxxxx",
	"positional":        "set -- xxxxxxxx; while true; do set -- $1$1; done",
	"an array":          "while true; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); a+=(${a[@]}); done",
	"replaced":          "a=$(seq 5000); a=${a//1/$a}",
	"another's name":    "a=xxxxxxxxxxxxxxxx; b=a; while true; do a=${!b}${!b}; done",
	"a default":         "unset b; a=$(seq 10000); : ${b:=" + strings.Repeat("$a", 1000) + "}",
	"a here document":   "a=$(seq 10000); cat <<E\n" + strings.Repeat("$a", 1000) + "\nE",
	"a loop's words":    "a=$(seq 10000); for i in " + strings.Repeat("$a ", 1000) + "; do :; done",
	"exported":          "a=$(seq 10000); export b=" + strings.Repeat("$a", 1000),
	"what is printed":   "a=$(yes)",
	"echoed":            "a=$(while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done)",
	"formatted":         "a=$(printf '%09999999d' 1)",
	"sorted":            "yes | sort",
	"counted":           "yes | wc",
	"edited":            "yes | sed s/y/n/",
	"arguments":         "yes | xargs echo",
	"the last":          "yes | tail -n 1000000000",
	"jobs":              "a=$(seq 10000); while true; do sleep 1000 & done",
	"a trap":            "a=xxxxxxxxxxxxxxxx; trap 'while true; do a=$a$a; done' TERM; kill 1; sleep 1",
	"words":             "a=$(seq 1000); while true; do set -- $a $@; done",
}

// allocated returns how many bytes are allocated in all while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAContainerThatHoldsTooMuchIsKilled(t *testing.T) {
	for name, script := range bombs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := small("bash", "-c", script)
				size := allocated(func() {
					r.start(p)
					time.Sleep(2 * time.Second)
				})
				end := r.ended(p)
				require.NotNil(t, end)
				assert.EqualValues(t, 137, end.ExitCode)
				assert.Equal(t, "OOMKilled", end.Reason)
				assert.Less(t, size, uint64(1<<30), "it took much more than it may hold")
			})
		})
	}
}

func TestACommandThatHoldsTooMuchEndsItsContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(small("sleep", "3600"))
		code, err := r.machines.Exec(t.Context(), p, "main",
			[]string{"sh", "-c", bombs["a variable"]}, streams.IO{})
		require.NoError(t, err)
		assert.Equal(t, 137, code)
		synctest.Wait()
		assert.Equal(t, "OOMKilled", r.ended(p).Reason)
		r.start(p)
		r.report(p)
		status := p.Status.ContainerStatuses[0]
		assert.NotNil(t, status.State.Running, "it starts again")
		assert.Equal(t, "OOMKilled", status.LastTerminationState.Terminated.Reason)
	})
}

func TestWhatEndsIsHeldNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(small("sleep", "3600"))
		for range 10 {
			out, code := r.exec(p, "sh", "-c",
				"a=$(seq 10000); a=; seq 10000 | sort | wc -l; seq 10000 | tail -n 1")
			assert.Equal(t, "10000\n10000\n", out)
			assert.Zero(t, code)
		}
	})
}

func TestAScriptMustNotBeNestedWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		for name, script := range map[string]string{
			"parentheses": strings.Repeat("(", 100_000),
			"conditions":  strings.Repeat("if ", 50_000),
			"arithmetic":  "echo $((" + strings.Repeat("(", 100_000),
		} {
			size := allocated(func() {
				for _, command := range [][]string{
					{"sh", "-c", script}, {"sh", "-c", `eval "$0"`, script},
					{"sh", "-c", `echo "$0" > f; . ./f`, script},
				} {
					out, code := r.exec(p, command...)
					assert.NotZero(t, code, name)
					assert.Contains(t, out, "nesting", name)
				}
			})
			assert.Less(t, size, uint64(500<<20), name)
		}
	})
}

func TestBracesDoNotMakeWordsWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "debian", "sleep", "3600"))
		for _, braces := range []string{
			"{1..1000000000}", "{1..1000}{1..1000}{1..1000}", strings.Repeat("{a,b}", 40),
			"{-1000000000..1}", "{a,{1..1000000000}}",
		} {
			for _, command := range []string{"echo " + braces, "eval 'echo " + braces + "'"} {
				out, code := r.exec(p, "bash", "-c", command)
				assert.NotZero(t, code)
				assert.Contains(t, out, "argument list too long")
			}
		}
		out, _ := r.exec(p, "bash", "-c", "echo {1..3} {a,b}{c,d}")
		assert.Equal(t, "1 2 3 ac ad bc bd\n", out)
	})
}
