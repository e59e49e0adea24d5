package statefulset

import (
	"context"
	"fmt"

	"github.com/miekg/dns"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// These are exported to the tests alone.

var (
	OrdinalOf = ordinalOf
	IsMember  = isMember
)

// Candidates returns the names that host may be short for.
func (r *Resolver) Candidates(host string) []string { return r.candidates(host) }

// LargestPacket is largestPacket.
const LargestPacket = largestPacket

// AnswerPacket answers a question that came in a packet.
func (z *Zone) AnswerPacket(w dns.ResponseWriter, request *dns.Msg) {
	z.answerPacket(w, request)
}

// Next returns what next decides about a set's Pods, in words, and whether the
// set is as it should be.
func Next(
	set *appsv1.StatefulSet, pods ...*corev1.Pod,
) (words []string, s Steps) {
	todo := next(set, planOf(set, pods))
	for _, x := range todo.take {
		words = append(words, x.say(set))
	}
	return words, Steps{todo.settled, todo.wait.String()}
}

// Steps holds what next says beside the steps.
type Steps struct {
	Settled bool
	Wait    string
}

func (x step) say(set *appsv1.StatefulSet) string {
	name := nameOf(set, x.ordinal)
	if x.pod != nil {
		name = x.pod.Name
	}
	return fmt.Sprintf("%s %s", [...]string{"leave", "create", "renew", "remove"}[x.do], name)
}

// Remove deletes a Pod, as take does.
func (s *StatefulSets) Remove(
	ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod,
) error {
	return s.remove(ctx, set, pod)
}

// Told returns how many deletions are remembered.
func (s *StatefulSets) Told() int { return len(s.deletions.told) }
