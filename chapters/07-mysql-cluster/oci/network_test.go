//go:build linux

package oci_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/nftables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netns"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/internal/kubetest"
)

// ocinetRoom has the rest of a test happen in a room of its own: the test's
// program is run again for this test alone. It reports whether this is the room.
func ocinetRoom(t *testing.T) bool {
	t.Helper()
	kubetest.Real(t)
	if oci.InRoom() {
		require.NoError(t, oci.FurnishRoom())
		return true
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := oci.NewRoom(t.Context(),
		"-test.run=^"+t.Name()+"$", "-test.v")
	var out strings.Builder
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		kubetest.Lacks(t, "this machine allows no namespaces: ", err)
	}
	require.NoError(t, err, out.String())
	require.Contains(t, out.String(), "--- PASS: "+t.Name(), "it has run")
	return false
}

// A lab that is told to end while it begins does not hear of it the first time.
func TestARoomThatDoesNotListenYetEndsAllTheSame(t *testing.T) {
	kubetest.Real(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	command := oci.NewRoom(ctx)
	command.Path, command.Args = "/bin/sh", []string{"sh", "-c", "echo; " +
		"sleep 0.3; trap 'exit 7' TERM; while true; do sleep 0.05; done"}
	command.Stdout = nil
	said, err := command.StdoutPipe()
	require.NoError(t, err)
	if err := command.Start(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		kubetest.Lacks(t, "this machine allows no namespaces: ", err)
	} else {
		require.NoError(t, err)
	}
	_, err = said.Read(make([]byte, 1))
	require.NoError(t, err)
	cancel()
	tooLate := time.AfterFunc(20*time.Second, func() { command.Process.Kill() })
	defer tooLate.Stop()
	_ = command.Wait() // its error is the code
	assert.Equal(t, 7, command.ProcessState.ExitCode(), "-1: it was killed in the end")
}

// ocinetFixture is a room with two nodes.
type ocinetFixture struct {
	*oci.Network
	t *testing.T
}

func newOcinet(t *testing.T) ocinetFixture {
	t.Helper()
	n, err := oci.NewNetwork(netip.MustParseAddr("172.18.0.1"))
	require.NoError(t, err)
	for i := 1; i <= 2; i++ {
		require.NoError(t, n.AddNode(fmt.Sprintf("node-%d", i),
			netip.MustParsePrefix(fmt.Sprintf("10.244.%d.0/24", i)),
			netip.MustParseAddr(fmt.Sprintf("172.18.0.%d", i+1))))
	}
	return ocinetFixture{n, t}
}

// ocinetPod is a Pod that has nothing but its network namespace.
type ocinetPod struct {
	f  ocinetFixture
	ip string
	ns netns.NsHandle
	of *corev1.Pod
	is *exec.Cmd
}

func (f ocinetFixture) pod(name string, node int) *ocinetPod {
	f.t.Helper()
	p := &ocinetPod{f: f, is: exec.Command("sleep", "1000"), of: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", node)},
	}}
	p.is.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	require.NoError(f.t, p.is.Start())
	f.t.Cleanup(func() { p.is.Process.Kill(); p.is.Wait() })
	p.connect()
	var err error
	p.ns, err = netns.GetFromPath(p.path())
	require.NoError(f.t, err)
	return p
}

func (p *ocinetPod) path() string {
	return fmt.Sprintf("/proc/%d/ns/net", p.is.Process.Pid)
}

func (p *ocinetPod) connect() {
	p.f.t.Helper()
	var err error
	p.ip, err = p.f.Add(p.f.t.Context(), p.of, p.path())
	require.NoError(p.f.t, err)
}

// inside runs f in the Pod's network.
func (p *ocinetPod) inside(f func()) {
	p.f.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if assert.NoError(p.f.t, netns.Set(p.ns)) {
			f()
		}
	}()
	<-done
}

// listens has the Pod answer with its name.
func (p *ocinetPod) listens(port int) *ocinetPod {
	p.f.t.Helper()
	var l net.Listener
	p.inside(func() {
		var err error
		l, err = net.Listen("tcp4", fmt.Sprintf(":%d", port))
		assert.NoError(p.f.t, err)
	})
	require.NotNil(p.f.t, l)
	p.f.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, p.of.Name)
			conn.Close()
		}
	}()
	return p
}

// hears is what the Pod is answered at an address.
func (p *ocinetPod) hears(at string) (answer string, err error) {
	p.f.t.Helper()
	return p.waits(at, 30*time.Second)
}

func (p *ocinetPod) waits(
	at string, patience time.Duration,
) (answer string, err error) {
	p.f.t.Helper()
	p.inside(func() {
		ctx, cancel := context.WithTimeout(p.f.t.Context(), patience)
		defer cancel()
		var d net.Dialer
		var conn net.Conn
		if conn, err = d.DialContext(ctx, "tcp4", at); err != nil {
			return
		}
		defer conn.Close()
		var text []byte
		text, err = io.ReadAll(conn)
		answer = string(text)
	})
	return answer, err
}

func ocinetHears(t *testing.T, want string, p *ocinetPod, at string) {
	t.Helper()
	answer, err := p.hears(at)
	assert.NoError(t, err)
	assert.Equal(t, want, answer)
}

func TestPodsOfAllNodesReachEachOther(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	web := f.pod("web", 1).listens(80)
	near, far := f.pod("near", 1), f.pod("far", 2)
	assert.Equal(t, []string{"10.244.1.2", "10.244.1.3", "10.244.2.2"},
		[]string{web.ip, near.ip, far.ip})
	for _, p := range []*ocinetPod{web, near, far} {
		ocinetHears(t, "web", p, web.ip+":80")
	}
	ocinetHears(t, "web", web, "127.0.0.1:80")
	conn, err := f.Dial(t.Context(), web.ip, 80)
	require.NoError(t, err, "and so does the lab")
	conn.Close()
	_, err = near.hears(far.ip + ":80")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED, "nobody listens there")
}

func TestAPodReachesNothingOfTheMachine(t *testing.T) {
	outside, err := net.Listen("tcp4", "0.0.0.0:0")
	require.NoError(t, err)
	defer outside.Close()
	if !oci.InRoom() {
		t.Setenv("OCINET_OUTSIDE", outside.Addr().String())
	}
	if !ocinetRoom(t) {
		return
	}
	outside.Close()
	_, port, err := net.SplitHostPort(os.Getenv("OCINET_OUTSIDE"))
	require.NoError(t, err)
	pod := newOcinet(t).pod("web", 1)
	for _, at := range []string{"127.0.0.1", "172.18.0.1", "10.244.1.1"} {
		_, err := pod.hears(at + ":" + port)
		assert.ErrorIs(t, err, syscall.ECONNREFUSED, at)
	}
	_, err = pod.hears("192.0.2.1:" + port)
	assert.ErrorIs(t, err, syscall.ENETUNREACH, "no way leads out of the room")
}

func TestANodeThatIsCutOffHasOnlyItself(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	web := f.pod("web", 1).listens(80)
	near, far := f.pod("near", 1), f.pod("far", 2).listens(80)
	require.NoError(t, f.Cut("node-1"))
	ocinetHears(t, "web", near, web.ip+":80")
	for from, to := range map[*ocinetPod]*ocinetPod{far: web, near: far} {
		_, err := from.waits(to.ip+":80", 500*time.Millisecond)
		assert.True(t, os.IsTimeout(err), "%v", err)
	}
	conn, err := f.Dial(t.Context(), web.ip, 80)
	require.NoError(t, err, "its kubelet goes on probing")
	conn.Close()
	require.NoError(t, f.Mend("node-1"))
	ocinetHears(t, "web", far, web.ip+":80")
}

func TestAPodThatIsGoneLeavesNothing(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	links := func() int {
		all, err := net.Interfaces()
		require.NoError(t, err)
		return len(all)
	}
	before := links()
	web := f.pod("web", 1)
	assert.Equal(t, before+1, links())
	web.connect()
	assert.Equal(t, before+1, links(), "connected again: still one cable")
	assert.Equal(t, "10.244.1.3", web.ip)
	require.NoError(t, f.Remove(web.of.UID))
	assert.Equal(t, before, links(), "while the namespace still is there")
	require.NoError(t, f.Remove(web.of.UID), "it is gone already")
	assert.Equal(t, "10.244.1.4", f.pod("next", 1).ip,
		"an address is nobody's for a while")
}

func TestABridgeIsWhereItWasWhateverIsPluggedIn(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	address := func() string {
		link, err := net.InterfaceByName("node-1")
		require.NoError(t, err)
		return link.HardwareAddr.String()
	}
	before := address()
	for i := range 3 {
		pod := f.pod(fmt.Sprintf("a-%d", i), 1)
		assert.Equal(t, before, address(), "with one more")
		require.NoError(t, f.Remove(pod.of.UID))
		assert.Equal(t, before, address(), "with one less")
	}
}

func TestAddressesAreGivenAgainWhenThereAreNoOthers(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	n, err := oci.NewNetwork(netip.MustParseAddr("172.18.0.1"))
	require.NoError(t, err)
	require.NoError(t, n.AddNode("node-1",
		netip.MustParsePrefix("10.244.1.0/29"), netip.MustParseAddr("172.18.0.2")))
	f := ocinetFixture{n, t}
	var pods []*ocinetPod
	for i := range 5 {
		pods = append(pods, f.pod(fmt.Sprint("web-", i), 1))
	}
	assert.Equal(t, "10.244.1.6", pods[4].ip)
	_, err = f.Add(t.Context(),
		&corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-1"}}, pods[0].path())
	assert.EqualError(t, err, "failed to allocate for range 0: no IP addresses "+
		"available in range set: 10.244.1.2-10.244.1.6")
	pods[4].connect()
	assert.Equal(t, "10.244.1.6", pods[4].ip, "its own is free for it")
	require.NoError(t, f.Remove(pods[1].of.UID))
	assert.Equal(t, "10.244.1.3", f.pod("next", 1).ip)
}

var ocinetService = controlloop.Key{Namespace: "default", Name: "web"}

func TestAServiceSharesItsConnectionsOut(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	ada := f.pod("ada", 1)
	var behind []string
	for i := range 3 {
		p := f.pod(fmt.Sprint("web-", i), 1+i%2).listens(8080)
		behind = append(behind, p.ip+":8080")
	}
	require.NoError(t, f.Tell(
		ocinetService, "10.96.3.7", map[int32][]string{80: behind}))
	late := f.pod("late", 2)
	for _, p := range []*ocinetPod{ada, late} {
		answers := map[string]int{}
		for range 300 {
			answer, err := p.hears("10.96.3.7:80")
			require.NoError(t, err)
			answers[answer]++
		}
		for i := range 3 {
			assert.InDelta(t, 100, answers[fmt.Sprint("web-", i)], 45, "%v", answers)
		}
	}
	_, err := ada.hears("10.96.3.7:81")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED, "it has no such port")

	for _, step := range []struct {
		behind []string
		says   string
	}{{behind[1:2], "web-1"}, {behind[2:], "web-2"}} {
		require.NoError(t, f.Tell(
			ocinetService, "10.96.3.7", map[int32][]string{80: step.behind}))
		for range 20 {
			ocinetHears(t, step.says, ada, "10.96.3.7:80")
		}
	}
	require.NoError(t, f.Tell(
		ocinetService, "10.96.3.7", map[int32][]string{80: nil}))
	_, err = ada.hears("10.96.3.7:80")
	assert.ErrorIs(t, err, syscall.ECONNREFUSED, "nobody is behind it")
	require.NoError(t, f.Tell(ocinetService, "", nil))
	_, err = ada.hears("10.96.3.7:80")
	assert.ErrorIs(t, err, syscall.ENETUNREACH, "it is nobody's address")
	_, err = f.pod("later", 1).hears("10.96.3.7:80")
	assert.ErrorIs(t, err, syscall.ENETUNREACH, "nor who comes later has it")
	assert.EqualError(t, f.Tell(ocinetService, "10.96.3.7", map[int32][]string{80: {"nowhere"}}),
		"service default/web: not an ip:port")
}

// Names are asked for by UDP, and a Service's rules are for that, too.
func TestAServiceIsReachedByUDP(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	ada, dns := f.pod("ada", 1), f.pod("dns", 2)
	var l net.PacketConn
	dns.inside(func() {
		var err error
		l, err = net.ListenPacket("udp4", ":5353")
		assert.NoError(t, err)
	})
	require.NotNil(t, l)
	defer l.Close()
	go func() {
		asked := make([]byte, 100)
		if n, from, err := l.ReadFrom(asked); err == nil {
			l.WriteTo(append(asked[:n], " is here"...), from)
		}
	}()
	require.NoError(t, f.Tell(ocinetService, "10.96.3.7",
		map[int32][]string{53: {dns.ip + ":5353"}}))
	ada.inside(func() {
		conn, err := net.Dial("udp4", "10.96.3.7:53")
		if !assert.NoError(t, err) {
			return
		}
		defer conn.Close()
		assert.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
		_, err = io.WriteString(conn, "dns")
		assert.NoError(t, err)
		answer := make([]byte, 100)
		n, err := conn.Read(answer)
		assert.NoError(t, err)
		assert.Equal(t, "dns is here", string(answer[:n]))
	})
}

// A Pod behind a Service that asks that Service may be answered by itself.
func TestAPodReachesItselfByItsService(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	web := f.pod("web", 1).listens(80)
	require.NoError(t, f.Tell(ocinetService, "10.96.3.7",
		map[int32][]string{80: {web.ip + ":80"}}))
	ocinetHears(t, "web", web, "10.96.3.7:80")
}

func TestOnlyTheServiceThatChangedIsWritten(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	web := f.pod("web", 1)
	tell := func(name, ip, behind string) {
		require.NoError(t, f.Tell(
			controlloop.Key{Namespace: "default", Name: name}, ip,
			map[int32][]string{80: {behind}}))
	}
	tell("web", "10.96.3.7", "10.244.1.9:80")
	tell("other", "10.96.3.8", "10.244.1.9:80")
	tell("headless", "None", "10.244.1.9:80")
	written := func() []string { return tablesIn(t, web.path()) }
	assert.ElementsMatch(t, []string{"default/web", "default/other"}, written())
	tell("web", "10.96.3.7", "10.244.1.9:80")
	assert.Empty(t, written(), "it is known already")
	tell("web", "10.96.3.7", "10.244.2.9:80")
	assert.Equal(t, []string{"default/web"}, written())
	assert.NoError(t, f.Tell(
		controlloop.Key{Namespace: "default", Name: "other"}, "", nil))
	assert.Empty(t, written())
}

// Who comes after a Service has gone is not told of it.
func TestAPodThatComesAfterAServiceHasGoneHasNoRulesOfIt(t *testing.T) {
	if !ocinetRoom(t) {
		return
	}
	f := newOcinet(t)
	web := f.pod("web", 1).listens(80)
	other := controlloop.Key{Namespace: "default", Name: "other"}
	behind := map[int32][]string{80: {web.ip + ":80"}}
	require.NoError(t, f.Tell(ocinetService, "10.96.3.7", behind))
	require.NoError(t, f.Tell(other, "10.96.3.8", behind))
	ocinetHears(t, "web", web, "10.96.3.7:80")
	require.NoError(t, f.Tell(ocinetService, "", nil))
	late := f.pod("late", 2)
	_, err := late.hears("10.96.3.7:80")
	assert.ErrorIs(t, err, syscall.ENETUNREACH, "it is nobody's address")
	ocinetHears(t, "web", late, "10.96.3.8:80")
	assert.Equal(t, []string{"default/other"}, tablesIn(t, late.path()))
}

// tablesIn returns the names of the tables in a network namespace, and empties
// it of them: what is there later has been written since.
func tablesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	inside, err := os.Open(path)
	require.NoError(t, err)
	defer inside.Close()
	rules, err := nftables.New(nftables.WithNetNSFd(int(inside.Fd())))
	require.NoError(t, err)
	tables, err := rules.ListTables()
	require.NoError(t, err)
	for _, table := range tables {
		names = append(names, table.Name)
		rules.DelTable(table)
	}
	require.NoError(t, rules.Flush())
	return names
}
