package statefulset_test

import (
	"bytes"
	"fmt"
	"net"
	"slices"
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

// One name is read from the right, a label at a time: what stands there.
func TestRunOfANameReadFromTheRight(t *testing.T) {
	zone := town(t)
	labels := strings.Split("web-0.nginx.default.svc", ".")
	var all []row
	for n := len(labels); n >= 0; n-- {
		name := strings.Join(append(slices.Clone(labels[n:]), "cluster.local."), ".")
		reply := zone.Answer(new(dns.Msg).SetQuestion(name, dns.TypeA))
		answers := []string{}
		for _, answer := range reply.Answer {
			answers = append(answers, answer.(*dns.A).A.String())
		}
		label, _, _ := strings.Cut(name, ".")
		if n == len(labels) {
			label = "cluster.local"
		}
		all = append(all, row{label, "A", dns.RcodeToString[reply.Rcode], answers})
	}
	kubetest.RecordedJSON(t, "read.json", map[string]any{"labels": all})
}

// A set of two, of which one is not ready, has three Services: one that is
// headless, one that has an address, and one that is headless and publishes all
// of its Pods. Exercise 4k asks which of their names lead anywhere.
func TestRunOfSixNames(t *testing.T) {
	var log bytes.Buffer
	for _, ready := range []bool{false, true} {
		fmt.Fprintf(&log, "# web-1 is ready: %t\n", ready)
		zone := zoneOf(t,
			headless("nginx"), slice("nginx", 80,
				endpoint("10.244.1.2", "web-0", true), endpoint("10.244.1.3", "web-1", ready)),
			withAddress("front", "10.96.3.1"), slice("front", 80,
				endpoint("10.244.1.2", "", true), endpoint("10.244.1.3", "", ready)),
			headless("all"), slice("all", 80, // their subdomain is another's
				endpoint("10.244.1.2", "", true), endpoint("10.244.1.3", "", true)),
		)
		for _, name := range []string{"web-0.nginx", "web-1.nginx", "nginx", "front", "all", "web-1.all"} {
			found, err := inside(zone, "default").LookupHost(t.Context(), name)
			if err != nil {
				found = []string{err.(*net.DNSError).Err}
			}
			fmt.Fprintf(&log, "%-11s  %s\n", name, strings.Join(found, " "))
		}
	}
	kubetest.Recorded(t, "../exercises/4k.txt", log.Bytes())
}
