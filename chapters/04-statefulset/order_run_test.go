package statefulset_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// lane is the life of one Pod, as a figure of kind lanes has it.
type lane struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Phases  []phase `json:"phases"`
}

type phase struct {
	At time.Duration `json:"at"`
	Is string        `json:"is"`
}

type tally struct {
	At        time.Duration `json:"at"`
	There     int           `json:"there"`
	Available int           `json:"available"`
}

// lifeOf returns the phase of a Pod after a write.
func lifeOf(w kubetest.Write, pod *corev1.Pod) string {
	words := []string{"created", "running", "ready", "ending", "gone"}
	at := 0
	for i, is := range []bool{
		pod.Status.Phase == corev1.PodRunning, kubetest.Ready(pod),
		pod.DeletionTimestamp != nil, w.Type == watch.Deleted,
	} {
		if is {
			at = i + 1
		}
	}
	return words[at]
}

// A set of three comes up, and is scaled to none half a minute later: in order,
// and all at once.
func TestRunOfBothPolicies(t *testing.T) {
	for name, change := range map[string]func(*appsv1.StatefulSet){
		"lanes-in-order": func(*appsv1.StatefulSet) {}, "lanes-parallel": parallel,
	} {
		setup := onNodes
		setup.Images = simulated.Images{"nginx:1.27": kubetest.SlowNginx}
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, web(3, change))
			c.Advance(25 * time.Second)
			scale(c, 0)
			c.Advance(15 * time.Second)
			rec := record(c.Writes())
			rec.Title = strings.ReplaceAll(strings.TrimPrefix(name, "lanes-"), "-", " ")
			text, err := json.MarshalIndent(rec, "", "  ")
			require.NoError(t, err)
			kubetest.Recorded(t, name+".json", append(text, '\n'))
		})
	}
}

type recording struct {
	Title    string        `json:"title"`
	Replicas int           `json:"replicas"`
	Most     int           `json:"most"`
	Least    int           `json:"least"`
	Until    time.Duration `json:"until"`
	Pods     []*lane       `json:"pods"`
	Counts   []tally       `json:"counts"`
}

func record(writes []kubetest.Write) recording {
	rec := recording{Replicas: 3, Most: 3, Until: 31 * time.Second} // in order the last is gone by then
	is := map[string]string{}
	lanes := map[string]*lane{}
	for _, w := range writes {
		pod, ok := w.Object.(*corev1.Pod)
		if !ok || is[pod.Name] == lifeOf(w, pod) {
			continue
		}
		is[pod.Name] = lifeOf(w, pod)
		if lanes[pod.Name] == nil {
			lanes[pod.Name] = &lane{Name: pod.Name, Version: "web"}
			rec.Pods = append(rec.Pods, lanes[pod.Name])
		}
		l := lanes[pod.Name]
		if n := len(l.Phases); n > 0 && l.Phases[n-1].At == w.At {
			l.Phases = l.Phases[:n-1]
		}
		l.Phases = append(l.Phases, phase{w.At, is[pod.Name]})
		count := tally{At: w.At}
		for _, now := range is {
			if now == "ready" {
				count.Available++
			}
			if now != "ending" && now != "gone" {
				count.There++
			}
		}
		if n := len(rec.Counts); n > 0 && rec.Counts[n-1].At == w.At {
			rec.Counts = slices.Delete(rec.Counts, n-1, n)
		}
		rec.Counts = append(rec.Counts, count)
	}
	return rec
}

// Three are scaled to one while one of them does not work. Exercise
// 4f asks what happens.
func TestRunOfAScalingThatWaits(t *testing.T) {
	var log bytes.Buffer
	setup := ordered
	setup.Invariants = append(slices.Clip(setup.Invariants), func(w kubetest.Write, _ []kubetest.Write) error {
		pod, ok := w.Object.(*corev1.Pod)
		switch {
		case !ok:
		case w.Type == watch.Added:
			fmt.Fprintf(&log, "made  %s\n", pod.Name)
		case w.Type == watch.Deleted:
			fmt.Fprintf(&log, "gone  %s\n", pod.Name)
		case w.Old.GetDeletionTimestamp() == nil && pod.DeletionTimestamp != nil:
			fmt.Fprintf(&log, "told  %s\n", pod.Name)
		}
		return nil
	})
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(4))
		rest(c)
		log.Reset()
		is(c, "web-1", corev1.PodRunning, false)
		scale(c, 2)
		rest(c)
		fmt.Fprintln(&log, "# web-1 is ready again")
		is(c, "web-1", corev1.PodRunning, true)
		c.Settle()
		fmt.Fprintln(&log, "# before anything else happens, web-0 is deleted by hand")
		c.DeletePod("web-0")
		rest(c)
		kubetest.Recorded(t, "../exercises/4f.txt", log.Bytes())
	})
}
