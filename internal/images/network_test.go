package images_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
)

const (
	loopback = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n" +
		"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
	loopbackAddress = "    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n"
	ethernet        = "2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> mtu 1500 qdisc noqueue \n" +
		"    link/ether 0a:58:0a:f4:01:02 brd ff:ff:ff:ff:ff:ff\n"
	ethernetAddress = "    inet 10.244.1.2/24 brd 10.244.1.255 scope global eth0\n" +
		"       valid_lft forever preferred_lft forever\n"
	routes = "default via 10.244.1.1 dev eth0 \n10.244.1.0/24 dev eth0 scope link  src 10.244.1.2 \n"
)

func TestIPTellsOfThePodsNetwork(t *testing.T) {
	for script, want := range map[string]string{
		"ip addr":                       loopback + loopbackAddress + ethernet + ethernetAddress,
		"ip a":                          loopback + loopbackAddress + ethernet + ethernetAddress,
		"ip address show":               loopback + loopbackAddress + ethernet + ethernetAddress,
		"ip addr show dev eth0":         ethernet + ethernetAddress,
		"ip a s lo":                     loopback + loopbackAddress,
		"ip route":                      routes,
		"ip r show dev eth0":            routes,
		"ip a show eth1":                "ip: can't find device 'eth1'\n",
		"ip link set eth0 down":         "ip: RTNETLINK answers: Operation not permitted\n",
		"ip route add default; echo $?": "ip: RTNETLINK answers: Operation not permitted\n2\n",
		"ip nope":                       "ip: only address and route are known here\n",
		"ip; echo $?":                   "Usage: ip address|route [show] [DEVICE]\n1\n",
	} {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				out, _ := r.exec(p, "sh", "-c", script)
				assert.Equal(t, want, out)
			})
		})
	}
}

// fixed is a resolver that knows one name.
type fixed struct{}

// LookupHost implements simulated.Resolver.
func (fixed) LookupHost(_ context.Context, host string) ([]string, error) {
	if host == "db" {
		return []string{"10.244.1.3"}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// services answers for an address that no Pod has.
type services struct{ pods simulated.Network }

// DialContext implements simulated.Network.
func (s services) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, _ := net.SplitHostPort(address)
	if host == "10.96.0.9" {
		host = "10.244.1.3"
	}
	return s.pods.DialContext(ctx, network, net.JoinHostPort(host, port))
}

func TestPingHearsFromPodsThatAreThere(t *testing.T) {
	answered := func(host, address string, ttl string) string {
		return "PING " + host + " (" + address + "): 56 data bytes\n" +
			"64 bytes from " + address + ": seq=0 ttl=" + ttl + " time=0.000 ms\n" +
			"64 bytes from " + address + ": seq=1 ttl=" + ttl + " time=0.000 ms\n\n" +
			"--- " + host + " ping statistics ---\n" +
			"2 packets transmitted, 2 packets received, 0% packet loss\n" +
			"round-trip min/avg/max = 0.000/0.000/0.000 ms\n"
	}
	lost := func(host string, sent string) string {
		return "PING " + host + " (" + host + "): 56 data bytes\n\n--- " + host + " ping statistics ---\n" +
			sent + " packets transmitted, 0 packets received, 100% packet loss\n"
	}
	for script, test := range map[string]struct {
		want string
		code int
		took time.Duration
	}{
		"ping -c 2 10.244.1.3":      {answered("10.244.1.3", "10.244.1.3", "64"), 0, time.Second},
		"ping -c 2 10.244.2.2":      {answered("10.244.2.2", "10.244.2.2", "62"), 0, time.Second},
		"ping -c 2 db":              {answered("db", "10.244.1.3", "64"), 0, time.Second},
		"ping -c2 localhost":        {answered("localhost", "127.0.0.1", "64"), 0, time.Second},
		"ping -c2 -i 5 web":         {answered("web", "10.244.1.2", "64"), 0, 5 * time.Second},
		"ping -w 2 10.244.1.3":      {answered("10.244.1.3", "10.244.1.3", "64"), 0, 2 * time.Second},
		"ping -c 3 10.244.1.9":      {lost("10.244.1.9", "3"), 1, 12 * time.Second},
		"ping -c 1 -W 2 10.244.1.9": {lost("10.244.1.9", "1"), 1, 2 * time.Second},
		"ping -c 1 -W 1 10.96.0.9":  {lost("10.96.0.9", "1"), 1, time.Second},
		"ping -c 1 nope":            {"ping: bad address 'nope'\n", 1, 0},
		"ping -c x db":              {"ping: invalid number 'x'\n", 1, 0},
		"ping":                      {"ping: usage: ping [-q] [-c COUNT] [-i SEC] [-W SEC] [-w SEC] [-s SIZE] HOST\n", 1, 0},
		"ping -q -c 1 -s 8 db": {"PING db (10.244.1.3): 8 data bytes\n\n--- db ping statistics ---\n" +
			"1 packets transmitted, 1 packets received, 0% packet loss\n" +
			"round-trip min/avg/max = 0.000/0.000/0.000 ms\n", 0, 0},
		"timeout -s INT 1.5 ping 10.244.1.3": {answered("10.244.1.3", "10.244.1.3", "64"), 0, 1500 * time.Millisecond},
		"wget -qO- -T 1 10.96.0.9":           {"wget: can't connect to remote host (10.96.0.9): Connection refused\n", 1, 0},
	} {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				other := r.machines.Runtime("node-2", "10.244.2")
				_, err := other.Sandbox(t.Context(), pod("far", "busybox"))
				assert.NoError(t, err)
				r.machines.SetNetwork(services{r.machines.Pods()})
				r.machines.SetNames(func(*corev1.Pod) simulated.Resolver { return fixed{} })
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				r.start(pod("db", "busybox", "sleep", "3600"))
				began := time.Now()
				out, code := r.exec(p, "sh", "-c", script)
				assert.Equal(t, test.want, out)
				assert.Equal(t, test.code, code)
				assert.Equal(t, test.took, time.Since(began))
			})
		})
	}
}

func TestTopShowsWhoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		synctest.Wait()
		const want = "Mem: 0K used, 262144K free, 0K shrd, 0K buff, 0K cached\n" +
			"CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq\n" +
			"Load average: 0.00 0.00 0.00 1/3 3\n" +
			"  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND\n" +
			"    1     0 root     S        0   0%   0   0% sleep 3600\n" +
			"    2     0 root     S        0   0%   0   0% sh -c top -b -n1; echo $PPID\n" +
			"    3     2 root     R        0   0%   0   0% top -b -n1\n"
		out, _ := r.exec(p, "sh", "-c", "top -b -n1; echo $PPID")
		assert.Equal(t, want+"0\n", out)

		began := time.Now()
		out, _ = r.exec(p, "sh", "-c", "top -n 3 -d 2 > f; grep -c ^CPU f; sh -c 'echo $PPID $$'")
		assert.Equal(t, "3\n4 7\n", out)
		assert.Equal(t, 4*time.Second, time.Since(began))
	})
}

func TestDebianHasNoneOfBusyboxsNetworkTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "debian", "sleep", "3600"))
		out, _ := r.exec(p, "bash", "-c", "which ip ping top")
		assert.Empty(t, out)
	})
}
