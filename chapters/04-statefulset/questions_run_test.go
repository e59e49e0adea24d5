package statefulset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"reconcile/internal/kubetest"
)

// A row is a question with its answer, as figures/names.svg has it: names of the
// zone are without what all of them end in.
type row struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Code    string   `json:"code"`
	Answers []string `json:"answers"`
}

// Questions and their answers: in the words that dig prints.
func TestRunOfQuestions(t *testing.T) {
	zone := town(t)
	var out bytes.Buffer
	var all []row
	for _, q := range []struct {
		name string
		kind uint16
	}{
		{"front.default.svc.cluster.local.", dns.TypeA},
		{"nginx.default.svc.cluster.local.", dns.TypeA},
		{"web-0.nginx.default.svc.cluster.local.", dns.TypeA},
		{"web-0.nginx.default.svc.cluster.local.", dns.TypeAAAA},
		{"web-2.nginx.default.svc.cluster.local.", dns.TypeA},
		{"empty.default.svc.cluster.local.", dns.TypeA},
		{"_web._tcp.nginx.default.svc.cluster.local.", dns.TypeSRV},
		{"example.com.", dns.TypeA},
	} {
		reply := zone.Answer(new(dns.Msg).SetQuestion(q.name, q.kind))
		answers := []string{}
		for _, answer := range reply.Answer {
			fields := strings.Fields(answer.String())
			answers = append(answers, fields[len(fields)-1])
		}
		const ending = ".default.svc.cluster.local."
		short := strings.TrimSuffix(q.name, ending)
		line := fmt.Sprintf("%-15s %-5s %-9s %s", short, dns.TypeToString[q.kind],
			dns.RcodeToString[reply.Rcode], strings.Join(answers, " "))
		fmt.Fprintln(&out, strings.TrimRight(line, " "))
		for i, answer := range answers {
			answers[i] = strings.TrimSuffix(answer, ending)
		}
		all = append(all, row{
			short, dns.TypeToString[q.kind], dns.RcodeToString[reply.Rcode], answers,
		})
	}
	kubetest.Recorded(t, "questions.txt", out.Bytes())
	kubetest.RecordedJSON(t, "questions.json", map[string]any{"questions": all})
}
