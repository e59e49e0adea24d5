package rollingupdate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// packer is a way to put endpoints into slices.
type packer func(
	*corev1.Service, []*discoveryv1.EndpointSlice, []*corev1.Pod,
) []*discoveryv1.EndpointSlice

// afresh fills the existing slices anew, from the first on.
func afresh(
	s *corev1.Service, have []*discoveryv1.EndpointSlice, pods []*corev1.Pod,
) []*discoveryv1.EndpointSlice {
	var emptied []*discoveryv1.EndpointSlice
	for _, old := range have {
		next := controlloop.Copy(old)
		next.Endpoints = nil
		emptied = append(emptied, next)
	}
	return rollingupdate.Packed(s, emptied, pods)
}

// thousands returns so many Pods of a version, in the order of their names.
func thousands(version string, n int) (pods []*corev1.Pod) {
	for i := range n {
		p := pod(true, false)
		p.Name = fmt.Sprintf("web-%s-%04d", version, i)
		p.UID = types.UID(p.Name)
		pods = append(pods, p)
	}
	return pods
}

// keeper keeps the slices of a Service, and counts what it writes.
type keeper struct {
	pack    packer
	service *corev1.Service
	have    map[string]string // a slice's name: the Pods that it lists
	slices  []*discoveryv1.EndpointSlice
	written int
}

// look packs once more.
func (k *keeper) look(pods []*corev1.Pod) {
	k.slices = k.pack(k.service, k.slices, pods)
	lists := map[string]string{}
	for _, s := range k.slices {
		var b strings.Builder
		for _, e := range s.Endpoints {
			b.WriteString(e.TargetRef.Name + " ")
		}
		lists[s.Name] = b.String()
		if k.have[s.Name] != lists[s.Name] {
			k.written++
		}
	}
	for name := range k.have {
		if _, stays := lists[name]; !stays {
			k.written++
		}
	}
	k.have = lists
}

// since returns how many slices were written while happens ran.
func (k *keeper) since(happens func()) int {
	before := k.written
	happens()
	return k.written - before
}

// replaced plays an update of n of the Pods, so many at a time: they come, and
// as many others go, whichever.
func replaced(k *keeper, pods []*corev1.Pod, n, at int) {
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(pods))
	young := thousands("v2", n)
	left := slices.Clone(pods)
	for from := 0; from < n; from += at {
		now := young[:from+at]
		k.look(slices.Concat(left, now))
		for _, i := range order[from : from+at] {
			gone := pods[i]
			left = slices.DeleteFunc(left, func(p *corev1.Pod) bool { return p == gone })
		}
		k.look(slices.Concat(left, now))
	}
}

// How many slices are written for five thousand Pods.
func TestRunOfTheSlices(t *testing.T) {
	t.Parallel()
	pods := thousands("v1", 5000)
	stories := []struct {
		what string
		tell func(*keeper)
	}{
		{"the first Pod goes", func(k *keeper) { k.look(pods[1:]) }},
		{"one in the middle goes", func(k *keeper) { k.look(slices.Concat(pods[:2500], pods[2501:])) }},
		{"one comes", func(k *keeper) { k.look(append(thousands("v0", 1), pods...)) }},
		{"20 are replaced, one by one", func(k *keeper) { replaced(k, pods, 20, 1) }},
		{"all are, 500 at a time", func(k *keeper) { replaced(k, pods, 5000, 500) }},
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-28s %6s %6s\n", "slices written", "afresh", "pack")
	for _, story := range stories {
		fmt.Fprintf(&out, "%-28s", story.what)
		for _, pack := range []packer{afresh, rollingupdate.Packed} {
			k := &keeper{pack: pack, service: service("web", app("web"))}
			k.look(pods)
			fmt.Fprintf(&out, " %6d", k.since(func() { story.tell(k) }))
		}
		fmt.Fprintln(&out)
	}
	kubetest.Recorded(t, "slices.txt", out.Bytes())
}
