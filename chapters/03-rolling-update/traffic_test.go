package rollingupdate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// traffic is a cluster with a proxy, through which requests can be made.
type traffic struct {
	*kubetest.Cluster
	proxy *rollingupdate.Proxy
}

// withTraffic runs a test in a cluster whose images are all this server.
func withTraffic(
	t *testing.T, server rollingupdate.Web, test func(c traffic),
) {
	t.Helper()
	proxy := &rollingupdate.Proxy{
		Delay: 500 * time.Millisecond, Choose: rollingupdate.InTurn(),
	}
	setup := served()
	setup.Controllers = append(setup.Controllers,
		func(s *controlloop.System) *controlloop.Controller {
			return rollingupdate.NewProxy(s, proxy)
		})
	for name := range setup.Images {
		setup.Images[name] = server.Serve
	}
	in(t, setup, func(c *kubetest.Cluster) {
		proxy.Pods = c.Network
		for _, node := range c.Nodes {
			node.Runtime.Network = proxy
		}
		test(traffic{c, proxy})
	})
}

// begin starts to ask a Service so many times a second. The function that it
// returns ends that, and returns the answers.
func (c traffic) begin(s *corev1.Service, rate int) (end func() rollingupdate.Answers) {
	return c.beginAt(s, rate, "/")
}

// beginAt does the same for a page.
func (c traffic) beginAt(
	s *corev1.Service, rate int, path string,
) (end func() rollingupdate.Answers) {
	load := &rollingupdate.Load{
		URL:  "http://" + s.Spec.ClusterIP + path,
		Dial: c.proxy.DialContext, Rate: rate,
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan rollingupdate.Answers)
	go func() { done <- load.Run(ctx) }()
	return func() rollingupdate.Answers {
		stop()
		return <-done
	}
}

// ask asks for so long.
func (c traffic) ask(s *corev1.Service, rate int, d time.Duration) rollingupdate.Answers {
	end := c.begin(s, rate)
	c.Advance(d)
	return end()
}

var brisk = rollingupdate.Web{
	WarmUp: 3 * time.Second, Work: 15 * time.Millisecond, Linger: 5 * time.Second,
}

func TestRequestsToAServiceAreSharedOutInTurn(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("one", 1, labelled("web")))
		kubetest.Create(c.Cluster, web("two", 2, labelled("web"), image("web:v2")))
		c.Advance(10 * time.Second)
		assert.Equal(t, map[string]int{"v1": 10, "v2": 20}, c.ask(s, 30, time.Second).ByVersion())
	})
}

// labelled makes a Deployment's Pods ones of this app, beside what they are.
func labelled(name string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		own := map[string]string{"app": name, "track": d.Name}
		d.Spec.Selector.MatchLabels = own
		d.Spec.Template.Labels = own
	}
}

func TestNobodyIsAskedWhoIsNotReady(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		c.Advance(time.Second)
		answers := c.ask(s, 10, time.Second)
		assert.Equal(t, 10, answers.Lost())
		assert.ErrorContains(t, answers[0].Err,
			"dial tcp "+s.Spec.ClusterIP+":80: connection refused")
		kubetest.Create(c.Cluster, web("web", 1))
		end := c.begin(s, 10)
		c.Advance(10 * time.Second)
		answers = end()
		// 3 s until the first probe that is answered, 0.5 s until the proxy knows
		assert.Equal(t, map[string]int{"": 35, "v1": 65}, answers.ByVersion())
		for i, answer := range answers {
			assert.Equal(t, i < 35, answer.Err != nil, "%v", answer)
		}
	})
}

// The author of a Service without a selector writes its slices by hand, and
// leaves out what need not be said.
func TestASliceThatSomebodyWroteByHandIsAsGood(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		kubetest.Create(c.Cluster, web("web", 1))
		s := kubetest.Create(c.Cluster, service("legacy", nil))
		c.Advance(5 * time.Second)
		kubetest.Create(c.Cluster, &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Name: "mine", Labels: map[string]string{
				discoveryv1.LabelServiceName: "legacy"}},
			AddressType: discoveryv1.AddressTypeIPv4,
			Ports:       []discoveryv1.EndpointPort{{Port: new(int32(80))}},
			Endpoints: []discoveryv1.Endpoint{
				{Addresses: []string{c.Pods()[0].Status.PodIP}}},
		})
		c.Advance(time.Second)
		assert.Zero(t, c.ask(s, 10, time.Second).Lost())
	})
}

func TestAnAddressThatIsNoServicesIsReachedAsEver(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		pod := c.Pods()[0].Status.PodIP
		conn, err := c.proxy.DialContext(context.Background(), "tcp", pod+":80")
		require.NoError(t, err)
		conn.Close()
		for address, want := range map[string]string{
			pod + ":81":                pod + ":81: connect: connection refused",
			"10.244.9.9:80":            "10.244.9.9:80: connect: no route to host",
			s.Spec.ClusterIP + ":8080": s.Spec.ClusterIP + ":8080: connection refused",
		} {
			_, err := c.proxy.DialContext(context.Background(), "tcp", address)
			assert.EqualError(t, err, "dial tcp "+want)
		}
	})
}

func TestAProxyThatIsStartedAgainHasItsTable(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		other := kubetest.Create(c.Cluster, service("other", app("web")))
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		require.NoError(t, c.Store.Delete(t.Context(), rollingupdate.ServiceKind,
			kubetest.Named("other"), metav1.DeleteOptions{}))
		c.Restart()
		assert.Zero(t, c.ask(s, 10, time.Second).Lost())
		assert.Equal(t, 10, c.ask(other, 10, time.Second).Lost(), "it went meanwhile")
	})
}

// A change that it does not know yet, it cannot avoid.
func TestAProxyLearnsOfAChangeAMomentLater(t *testing.T) {
	withTraffic(t, rollingupdate.Web{}, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 2))
		c.Advance(10 * time.Second)
		c.DeletePod(c.Pods()[0].Name)
		answers := c.ask(s, 20, time.Second)
		assert.Equal(t, 5, answers.Lost(), "every second one, for half a second")
	})
}

func TestWhoWasToldToEndIsAskedWhenNobodyElseCanAnswer(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		edit(c.Cluster, "web", sized(0))
		answers := c.ask(s, 10, 4*time.Second)
		assert.Zero(t, answers.Lost())
		assert.Equal(t, 20, c.ask(s, 10, 2*time.Second).Lost()+10, "it lingers for five seconds")
	})
}

func TestAServiceThatIsGoneIsNotAnswered(t *testing.T) {
	withTraffic(t, brisk, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		require.NoError(t, c.Store.Delete(t.Context(), rollingupdate.ServiceKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.Advance(time.Second)
		assert.Equal(t, 10, c.ask(s, 10, time.Second).Lost())
	})
}

//book:exercise 3e
func TestOnlyThoseWhoAreReadyAreAskedWhileThereAreAny(t *testing.T) {
	slice := func(conditions ...string) controlloop.Object {
		s := &discoveryv1.EndpointSlice{Ports: []discoveryv1.EndpointPort{
			{Name: new("http"), Port: new(int32(8080))}}}
		for _, c := range conditions {
			s.Endpoints = append(s.Endpoints, endpoint(c))
		}
		return s
	}
	renumbered := slice("b:rs").(*discoveryv1.EndpointSlice)
	renumbered.Ports[0].Port = new(int32(9090))
	for _, test := range []struct {
		what   string
		slices []controlloop.Object
		want   []string
	}{
		{"at the number that the port has there", []controlloop.Object{slice("a:rs"), renumbered},
			[]string{"a:8080", "b:9090"}},
		{"all", []controlloop.Object{slice("a:rs", "b:rs")}, []string{"a:8080", "b:8080"}},
		{"from all slices", []controlloop.Object{slice("a:rs"), slice("b:rs")}, []string{"a:8080", "b:8080"}},
		{"not who is not ready", []controlloop.Object{slice("a:rs", "b:")}, []string{"a:8080"}},
		{"not who is about to go", []controlloop.Object{slice("a:st", "b:rs")}, []string{"b:8080"}},
		{"not who is about to go, in a slice by itself", []controlloop.Object{slice("a:st"), slice("b:rs")}, []string{"b:8080"}},
		{"unless there is nobody else", []controlloop.Object{slice("a:st", "b:")}, []string{"a:8080"}},
		{"not even then who cannot answer", []controlloop.Object{slice("a:t", "b:")}, nil},
		{"nobody", nil, nil},
		{"behind a slice without the port", []controlloop.Object{
			&discoveryv1.EndpointSlice{Endpoints: []discoveryv1.Endpoint{endpoint("a:rs")}},
			slice("b:rs"),
		}, []string{"b:8080"}},
	} {
		got := append([]string(nil), rollingupdate.Chosen(test.slices, "http")...)
		assert.Equal(t, test.want, got, test.what)
	}
	assert.Empty(t, rollingupdate.Chosen([]controlloop.Object{slice("a:rs")}, "metrics"),
		"a port that the Pods do not have")
}

// A slice that was written by hand may leave conditions out. Then an endpoint is
// ready, can answer, and is not about to go.
//
//book:exercise 3e
func TestWhatASliceLeavesUnsaidIsNotGuessed(t *testing.T) {
	for _, test := range []struct {
		what       string
		conditions discoveryv1.EndpointConditions
		want       []string
	}{
		{"nothing is said", discoveryv1.EndpointConditions{}, []string{"a:8080"}},
		{"not ready, and about to go",
			discoveryv1.EndpointConditions{Ready: new(false), Terminating: new(true)}, []string{"a:8080"}},
		{"not able to answer, and about to go",
			discoveryv1.EndpointConditions{Ready: new(false), Serving: new(false), Terminating: new(true)}, []string{}},
		{"not ready, and can answer",
			discoveryv1.EndpointConditions{Ready: new(false), Serving: new(true)}, []string{}},
	} {
		slice := &discoveryv1.EndpointSlice{
			Ports:     []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
			Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"a"}, Conditions: test.conditions}},
		}
		chosen := rollingupdate.Chosen([]controlloop.Object{slice}, "http")
		assert.Equal(t, test.want, append([]string{}, chosen...), test.what) // nil or empty is one
	}
}

// endpoint returns that of an address, "a:rst": ready, serving, terminating.
func endpoint(text string) discoveryv1.Endpoint {
	name, letters := text[:1], text[2:]
	has := func(letter rune) *bool {
		for _, l := range letters {
			if l == letter {
				return new(true)
			}
		}
		return new(false)
	}
	return discoveryv1.Endpoint{
		Addresses: []string{name},
		Conditions: discoveryv1.EndpointConditions{
			Ready: has('r'), Serving: has('s'), Terminating: has('t'),
		},
	}
}

// A server that is asked to end in the middle of an answer.
func TestAWebServerThatLingersFinishesWhatItBegan(t *testing.T) {
	for linger, lost := range map[time.Duration]int{0: 10, time.Second: 0} {
		server := rollingupdate.Web{Work: 300 * time.Millisecond, Linger: linger}
		withTraffic(t, server, func(c traffic) {
			s := kubetest.Create(c.Cluster, service("web", app("web")))
			kubetest.Create(c.Cluster, web("web", 1))
			c.Advance(10 * time.Second)
			end := c.begin(s, 10)
			c.Advance(200 * time.Millisecond)
			edit(c.Cluster, "web", sized(0))
			c.Advance(800 * time.Millisecond)
			answers := end()
			assert.Equal(t, lost, answers.Lost(), "it lingers for %s", linger)
		})
	}
}

func TestAWebServerThatIsKilledIsKilled(t *testing.T) {
	server := rollingupdate.Web{Linger: time.Hour}
	withTraffic(t, server, func(c traffic) {
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		edit(c.Cluster, "web", sized(0))
		c.Advance(29 * time.Second)
		assert.Len(t, c.Pods(), 1)
		c.Advance(2 * time.Second)
		assert.Empty(t, c.Pods(), "its grace is over")
	})
}

func TestAnAnswerThatIsNotWaitedForIsLost(t *testing.T) {
	withTraffic(t, rollingupdate.Web{Work: 3 * time.Second}, func(c traffic) {
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 1))
		c.Advance(10 * time.Second)
		assert.Equal(t, 10, c.ask(s, 5, 2*time.Second).Lost(), "after a second people go elsewhere")
		c.Advance(5 * time.Second)
	})
}

func TestAnAnswerThatIsARefusalIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := &rollingupdate.Load{URL: "http://somewhere/", Rate: 10}
		load.Dial = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				defer there.Close()
				if _, err := http.ReadRequest(bufio.NewReader(there)); err == nil {
					io.WriteString(there, "HTTP/1.1 503 Service Unavailable\r\n"+
						"Content-Length: 2\r\n\r\nv1")
				}
			}()
			return here, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		answers := load.Run(ctx)
		require.Len(t, answers, 10)
		assert.Equal(t, 10, answers.Lost())
		assert.EqualError(t, answers[0].Err, "503 Service Unavailable")
	})
}

func TestInTurnIsFair(t *testing.T) {
	choose := rollingupdate.InTurn()
	var got string
	for range 7 {
		got += fmt.Sprint(choose(3))
	}
	assert.Equal(t, "0120120", got)
	assert.Less(t, choose(1), 1, "there are fewer now")
}

func TestALoadAsksAsOftenAsItIsToldTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := &rollingupdate.Load{URL: "http://nowhere/", Rate: 40, Patience: 3 * time.Second}
		load.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done() // never answers
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		answers := load.Run(ctx)
		assert.Len(t, answers, 80, "it does not wait for one answer before it asks again")
		assert.Equal(t, 80, answers.Lost())
		assert.Less(t, time.Since(start), 6*time.Second, "it waits for each as long as it has patience")
	})
}
