package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/lab"
)

const agnhost = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"

// says returns what a Pod's commands print, once all Services are known.
func says(t *testing.T, script string, more func(*corev1.Pod)) (log string) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := placed("web", "node-1")
		p.Spec.Containers[0].Image = agnhost
		p.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 5; " + script + "; sleep 3600"}
		if more != nil {
			more(p)
		}
		f.create(p)
		pass(time.Minute)
		log = f.log("web")
	})
	return log
}

func TestDigShowsTheRecordsOfAName(t *testing.T) {
	const name = "kubernetes.default.svc.cluster.local"
	for script, want := range map[string]string{
		"dig +short " + name:                               "10.96.0.1\n",
		"dig +short kubernetes.default; echo":              "\n",
		"dig +noall +answer +search +tcp kubernetes A":     name + ".\t30\tIN\tA\t10.96.0.1\n",
		"dig +short -x 10.96.0.1":                          name + ".\n",
		"dig +short -t SRV _https._tcp." + name:            "0 100 443 " + name + ".\n",
		"dig @1.1.1.1 example.com; echo $?":                ";; no servers could be reached\n9\n",
		"dig +nostats +noauthority nosuch.default; echo .": digRefused,
	} {
		assert.Equal(t, want, says(t, script, nil), script)
	}
}

const digRefused = `
; <<>> DiG 9.20.0 <<>> +nostats +noauthority nosuch.default
;; global options: +cmd
;; Got answer:
;; ->>HEADER<<- opcode: QUERY, status: REFUSED, id: 1
;; flags: qr rd; QUERY: 1, ANSWER: 0, AUTHORITY: 0, ADDITIONAL: 0

;; QUESTION SECTION:
;nosuch.default.	IN	 A
.
`

func TestAPodSaysWhomItAsksForNames(t *testing.T) {
	some := func(p *corev1.Pod) {
		p.Spec.DNSConfig = &corev1.PodDNSConfig{
			Nameservers: []string{"1.1.1.1"}, Searches: []string{"kube-system.svc.cluster.local"},
			Options: []corev1.PodDNSConfigOption{{Name: "ndots", Value: new("2")}, {Name: "edns0"}},
		}
	}
	const script = "cat /etc/resolv.conf; getent hosts kube-dns || echo unknown"
	assert.Equal(t, "search default.svc.cluster.local svc.cluster.local cluster.local "+
		"kube-system.svc.cluster.local\nnameserver 10.96.0.10\nnameserver 1.1.1.1\n"+
		"options ndots:2 edns0\n10.96.0.10      kube-dns\n", says(t, script, some))
	assert.Equal(t, "search kube-system.svc.cluster.local\nnameserver 1.1.1.1\n"+
		"options ndots:2 edns0\nunknown\n", says(t, script, func(p *corev1.Pod) {
		some(p)
		p.Spec.DNSPolicy = corev1.DNSNone
	}))
	assert.Equal(t, "1.1.1.1\nkube-system.svc.cluster.local\n", says(t,
		"/agnhost dns-server-list; /agnhost dns-suffix", func(p *corev1.Pod) {
			some(p)
			p.Spec.DNSPolicy = corev1.DNSNone
		}))
}

func TestAPodKnowsItsOwnName(t *testing.T) {
	assert.Equal(t, "10.244.1.2      here.sub.default.svc.cluster.local here\n"+
		"10.244.1.2      here.sub.default.svc.cluster.local here\n", says(t,
		"getent hosts here; getent hosts here.sub.default.svc.cluster.local",
		func(p *corev1.Pod) { p.Spec.Hostname, p.Spec.Subdomain = "here", "sub" }))
}
