package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab/mysqltest"
	"reconcile/internal/script"
)

// Kubernetes' own tutorial with real servers: internal/scene's recording of it,
// command by command. What a command prints is the same but for what no two runs have
// in common. Where the recording lets time pass, this waits for what comes of that.
func TestKubernetesOwnTutorialRunsForReal(t *testing.T) {
	file := filepath.Join("..", "..", "..", "internal", "scene", "testdata", "tutorial.scene")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := script.Parse(file, content)
	require.NoError(t, err)
	t.Parallel()
	realNeeds(t, "mysql", "xtrabackup")
	h := newHome(t)
	mysqltest.TutorialManifests(t, h.file("manifests"))
	if testing.Short() {
		mysqltest.Hasten(t, h.file("manifests"), h.file("manifests"))
	}
	lab := h.realServers()
	r := &tutorial{home: h, jobs: map[int]*process{}, user: &mysqltest.User{
		TB: t, Cluster: realCluster{h}, Patience: limit, Look: realLook}}
	for _, step := range s.Steps {
		began := time.Now()
		r.does(step)
		t.Logf("%5.1f s  %s", time.Since(began).Seconds(), step.Text()[0])
	}
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// tutorial is somebody who works through it.
type tutorial struct {
	home
	user *mysqltest.User
	jobs map[int]*process // by their numbers
	loop *process         // the one that asks servers for their ids; nil: none
	node string           // that is drained
}

func (r *tutorial) does(step *script.Step) {
	r.t.Helper()
	switch c := step.Command; {
	case c == nil && step.Verb.Name == "advance":
		r.waits(step)
	case c == nil: // ctrl-C
		for _, job := range r.jobs {
			job.end(syscall.SIGINT)
		}
		clear(r.jobs)
	case c.Background:
		args := slices.Clone(c.Args)
		if last := len(args) - 1; testing.Short() { // the loop asks more often
			args[last] = strings.Replace(args[last], "sleep 1;", "sleep 0.3;", 1)
		}
		r.jobs[c.Job] = r.start(append([]string{"kubectl"}, args...)...)
		if slices.Contains(c.Args, "mysql-client-loop") {
			r.loop = r.jobs[c.Job]
		}
	default:
		r.types(step)
	}
}

// types runs a command to its end. One that only asks is typed until it is answered
// as in the recording.
func (r *tutorial) types(step *script.Step) {
	r.t.Helper()
	args := slices.Clone(step.Command.Args)
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "node-"):
			args[i] = r.ofMySQL2()
		case strings.HasPrefix(arg, "manifests/"):
			args[i] = r.file(arg)
		}
	}
	if slices.Contains(args, "mysql-client-loop") {
		r.loop = nil
	}
	var want strings.Builder
	for _, line := range step.Output {
		if line.Job == 0 {
			fmt.Fprintln(&want, line.Text)
		}
	}
	if asks := args[0] == "get" || strings.Contains(args[len(args)-1], "SELECT"); asks {
		r.user.Until(step.Text()[0]+" prints\n"+want.String(), func() bool {
			out, errs, code := r.user.Cluster.Kubectl(step.Command.Input, args...)
			return code == 0 && comparable(out+errs) == comparable(want.String())
		})
		return
	}
	out, errs, code := r.user.Cluster.Kubectl(step.Command.Input, args...)
	require.Zero(r.t, code, out+errs)
	require.Equal(r.t, comparable(want.String()), comparable(out+errs), step.Text()[0])
}

// ofMySQL2 returns the node on which mysql-2 runs when its name is first needed.
func (r *tutorial) ofMySQL2() string {
	if r.node == "" {
		r.node = r.user.Ok("get", "pod", "mysql-2", "-o", "jsonpath={.spec.nodeName}")
	}
	return r.node
}

// remarks are what kubectl tells somebody at a terminal, or without one.
var remarks = regexp.MustCompile(`(?m)^(All commands and output|If you don't see|Unable to use a TTY).*\n`)

// differs are the words that no two runs have in common, and their stand-ins.
var differs = []struct {
	text  *regexp.Regexp
	stand string
}{
	{regexp.MustCompile(`pvc-[-0-9a-f]{36}`), "VOLUME"},
	{regexp.MustCompile(`\bnode-\d\b`), "NODE"},
	{regexp.MustCompile(`\b10\.244\.\d\.\d+\b`), "IP"},
	{regexp.MustCompile(`\b(\d+[smh])+\b`), "AGE"},
	{regexp.MustCompile(`[ \r]+`), " "},
}

// comparable returns what is the same in every run.
func comparable(text string) string {
	text = remarks.ReplaceAllString(text, "")
	for _, word := range differs {
		text = word.text.ReplaceAllString(text, word.stand)
	}
	return strings.ReplaceAll(text, " \n", "\n")
}

// waits waits until each Pod is as the recording's watch has it in the end, and the
// servers of those that are ready answer, and no others.
func (r *tutorial) waits(step *script.Step) {
	r.t.Helper()
	pods, servers := map[string]string{}, map[string]bool{}
	for _, line := range step.Output {
		fields := strings.Fields(line.Text)
		if len(fields) > 2 && strings.HasPrefix(fields[0], "mysql-") {
			pods[fields[0]] = fields[1] + " " + fields[2]
		}
		for _, id := range fields {
			servers[id] = true
		}
	}
	r.user.Until("the Pods are as in the recording", func() bool {
		all := r.statuses()
		for name, status := range pods {
			if gone := status == "0/2 Error"; gone && all[name] != "" ||
				!gone && all[name] != status {
				return false
			}
		}
		return true
	})
	if r.loop == nil {
		return
	}
	r.user.Until("those that are ready answer, and no others", func() bool {
		ready := r.ready()
		last := r.answers()
		last = last[max(0, len(last)-3*len(ready)):]
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(last))), ready)
	})
	assert.Subset(r.t, slices.Collect(maps.Keys(servers)), r.ready())
}

// statuses returns "1/2 Running" of each Pod of the set, by its name.
func (r *tutorial) statuses() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(r.user.Ok("get", "pods", "-l", "app=mysql", "--no-headers")) {
		if fields := strings.Fields(line); len(fields) > 2 {
			all[fields[0]] = fields[1] + " " + fields[2]
		}
	}
	return all
}

// ready returns the ids of the servers whose Pods are ready.
func (r *tutorial) ready() (ids []string) {
	for name, status := range r.statuses() {
		if ordinal := strings.TrimPrefix(name, "mysql-"); status == "2/2 Running" {
			ids = append(ids, "10"+ordinal)
		}
	}
	slices.Sort(ids)
	return ids
}

var answer = regexp.MustCompile(`(?m)^\| +(10\d) \|`)

// answers returns the ids that the loop has printed.
func (r *tutorial) answers() (ids []string) {
	for _, found := range answer.FindAllStringSubmatch(r.loop.printed(), -1) {
		ids = append(ids, found[1])
	}
	return ids
}
