package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
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

func TestDebianHasNoneOfBusyboxsNetworkTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "debian", "sleep", "3600"))
		out, _ := r.exec(p, "bash", "-c", "command -v ip nc ps")
		assert.Empty(t, out)
	})
}
