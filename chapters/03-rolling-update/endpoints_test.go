package rollingupdate_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// pod returns one that has an address, is ready or not, and is told to end or
// not.
func pod(ready, ending bool) *corev1.Pod {
	p := kubetest.Pod("web-1")
	p.Namespace, p.UID = "shop", "uid-1"
	p.Spec.NodeName = "node-1"
	p.Status.PodIP = "10.244.1.7"
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.ContainersReady, Status: corev1.ConditionTrue},
		{Type: corev1.PodReady, Status: status},
	}
	if ending {
		p.DeletionTimestamp = new(metav1.Unix(1, 0))
	}
	return p
}

// flags returns the conditions of an endpoint: "ready serving terminating".
func flags(e discoveryv1.Endpoint) string {
	var all []string
	for _, c := range []struct {
		name string
		set  *bool
	}{
		{"ready", e.Conditions.Ready}, {"serving", e.Conditions.Serving},
		{"terminating", e.Conditions.Terminating},
	} {
		switch {
		case c.set == nil:
			all = append(all, c.name+"?")
		case *c.set:
			all = append(all, c.name)
		}
	}
	return strings.Join(all, " ")
}

//book:exercise 3e
func TestAnEndpointIsReadyWhenItCanAnswerAndIsToBeAsked(t *testing.T) {
	for _, test := range []struct {
		what          string
		ready, ending bool
		want          string
	}{
		{"in service", true, false, "ready serving"},
		{"coming up", false, false, ""},
		{"told to end, and still answering", true, true, "serving terminating"},
		{"told to end, and silent", false, true, "terminating"},
	} {
		got := rollingupdate.EndpointOf(pod(test.ready, test.ending), service("web", nil))
		assert.Equal(t, test.want, flags(got), test.what)
	}
}

//book:exercise 3e
func TestAServiceMayWantThoseThatAreNotReadyToo(t *testing.T) {
	s := service("web", nil)
	s.Spec.PublishNotReadyAddresses = true
	assert.Equal(t, "ready", flags(rollingupdate.EndpointOf(pod(false, false), s)))
	assert.Equal(t, "ready serving terminating",
		flags(rollingupdate.EndpointOf(pod(true, true), s)))
}

//book:exercise 3e
func TestAnEndpointSaysWhereAndWhoseItIs(t *testing.T) {
	p := pod(true, false)
	got := rollingupdate.EndpointOf(p, service("web", nil))
	assert.Equal(t, []string{"10.244.1.7"}, got.Addresses)
	assert.Equal(t, &corev1.ObjectReference{
		Kind: "Pod", Namespace: "shop", Name: "web-1", UID: "uid-1",
	}, got.TargetRef)
	assert.Equal(t, new("node-1"), got.NodeName)
}

func TestWhoHasEndedOrHasNoAddressIsNoEndpoint(t *testing.T) {
	for what, change := range map[string]func(*corev1.Pod){
		"ended well":  func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded },
		"ended badly": func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed },
		"nowhere yet": func(p *corev1.Pod) { p.Status.PodIP = "" },
	} {
		p := pod(true, false)
		require.True(t, rollingupdate.IsEndpoint(p))
		change(p)
		assert.False(t, rollingupdate.IsEndpoint(p), what)
	}
	assert.True(t, rollingupdate.IsEndpoint(pod(false, true)), "though it is good for nothing")
}

func TestAPortIsFoundByItsNameAndProtocol(t *testing.T) {
	p := pod(true, false)
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{
		{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
		{Name: "web", ContainerPort: 53, Protocol: corev1.ProtocolUDP},
		{Name: "web", ContainerPort: 8080, Protocol: corev1.ProtocolTCP},
	}
	port := func(name, target string) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: 80, Protocol: corev1.ProtocolTCP,
			TargetPort: intstr.Parse(target)}
	}
	var found []string
	for _, got := range rollingupdate.PortsOf(service("web", nil,
		port("a", "web"), port("b", "443"), port("c", "admin")), p) {
		found = append(found, fmt.Sprintf("%s %d %s", *got.Name, *got.Port, *got.Protocol))
	}
	assert.Equal(t, []string{"a 8080 TCP", "b 443 TCP"}, found, "a name that no container has is left out")
}

func behind(c *kubetest.Cluster) []*discoveryv1.EndpointSlice {
	return kubetest.All[*discoveryv1.EndpointSlice](c, rollingupdate.EndpointSliceKind)
}

// who returns the endpoints of all slices, with their conditions, sorted.
func who(c *kubetest.Cluster) (all []string) {
	for _, s := range behind(c) {
		for _, e := range s.Endpoints {
			all = append(all, strings.TrimSpace(c.Pod(e.TargetRef.Name).Spec.Containers[0].Image+
				": "+flags(e)))
		}
	}
	slices.Sort(all)
	return all
}

func served() kubetest.Setup {
	setup := rolled()
	setup.Controllers = append(setup.Controllers, rollingupdate.NewEndpoints)
	return setup
}

func app(name string) map[string]string { return map[string]string{"app": name} }

func TestAServiceKnowsItsPodsFromTheirStartToTheirEnd(t *testing.T) {
	setup := served()
	setup.Images["slow:v1"] = rollingupdate.Web{
		WarmUp: 4500 * time.Millisecond, Linger: 10 * time.Second}.Serve
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, service("web", app("web")))
		c.Settle()
		require.Len(t, behind(c), 1, "one slice, to say that there is nobody")
		first := behind(c)[0].Name
		assert.Empty(t, behind(c)[0].Endpoints)
		kubetest.Create(c, web("web", 2, image("slow:v1")))
		c.Advance(time.Second)
		assert.Equal(t, []string{"slow:v1:", "slow:v1:"}, who(c), "they are not ready yet")
		c.Advance(5 * time.Second)
		assert.Equal(t, []string{"slow:v1: ready serving", "slow:v1: ready serving"}, who(c))
		edit(c, "web", sized(1))
		c.Advance(time.Second)
		assert.Equal(t, []string{"slow:v1: ready serving", "slow:v1: serving terminating"}, who(c))
		c.Advance(20 * time.Second)
		assert.Equal(t, []string{"slow:v1: ready serving"}, who(c))
		require.Len(t, behind(c), 1)
		assert.Equal(t, first, behind(c)[0].Name, "all in the slice that there was")
	})
}

func TestASliceSaysWhoseItIs(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		s := service("web", app("web"), corev1.ServicePort{
			Name: "http", Port: 8080, TargetPort: intstr.FromString("web")})
		s.Labels = map[string]string{"tier": "front"}
		s = kubetest.Create(c, s)
		kubetest.Create(c, web("web", 1, func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{
				{Name: "web", ContainerPort: 80}}
		}))
		c.Advance(10 * time.Second)
		require.Len(t, behind(c), 1)
		slice := behind(c)[0]
		assert.Regexp(t, "^web-.{5}$", slice.Name)
		assert.Equal(t, map[string]string{
			"tier": "front", "kubernetes.io/service-name": "web",
			"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
		}, slice.Labels)
		assert.Equal(t, s.UID, metav1.GetControllerOf(slice).UID)
		assert.Equal(t, discoveryv1.AddressTypeIPv4, slice.AddressType)
		assert.Equal(t, []discoveryv1.EndpointPort{{
			Name: new("http"), Port: new(int32(80)), Protocol: new(corev1.ProtocolTCP),
		}}, slice.Ports)
	})
}

// A port's name may stand for another number in the next version. Pods with
// different ones cannot share a slice.
func TestAPortByNameIsAnotherNumberInEachVersion(t *testing.T) {
	port := func(number int32) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{
				{Name: "web", ContainerPort: number}}
		}
	}
	in(t, served(), func(c *kubetest.Cluster) {
		kubetest.Create(c, service("web", app("web"), corev1.ServicePort{
			Port: 80, TargetPort: intstr.FromString("web")}))
		kubetest.Create(c, web("web", 2, bounds("1", "0"), port(80)))
		c.Advance(10 * time.Second)
		edit(c, "web", port(8080), image("web:none"))
		c.Advance(time.Second)
		var seen []string
		for _, s := range behind(c) {
			require.NotEmpty(t, s.Ports)
			seen = append(seen, fmt.Sprintf("%d at %d", len(s.Endpoints), *s.Ports[0].Port))
		}
		slices.Sort(seen)
		assert.Equal(t, []string{"1 at 8080", "2 at 80"}, seen)
	})
}

func TestAHundredEndpointsFillASlice(t *testing.T) {
	t.Parallel()
	setup := served()
	setup.Nodes, setup.Images["quick:v1"] = 1, kubetest.Sleeps(0)
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 120, image("quick:v1"), quick))
		c.Settle()
		kubetest.Create(c, service("web", app("web"))) // once they are there: 120 matter, not how they come
		c.Settle()
		lengths := func() (all []int) {
			for _, s := range behind(c) {
				all = append(all, len(s.Endpoints))
			}
			slices.Sort(all)
			return all
		}
		assert.Equal(t, []int{20, 100}, lengths())

		before := len(c.Writes())
		c.DeletePod(c.Pods()[0].Name)
		c.Settle()
		written := map[string]bool{}
		for _, w := range c.Writes()[before:] {
			if s, ok := w.Object.(*discoveryv1.EndpointSlice); ok {
				assert.Equal(t, watch.Modified, w.Type)
				written[s.Name] = true
			}
		}
		assert.NotEmpty(t, written)
		assert.LessOrEqual(t, len(written), 2, "that of the Pod that goes, that of the one that comes")

		edit(c, "web", sized(90))
		c.Settle()
		edit(c, "web", sized(120))
		c.Settle()
		require.Len(t, lengths(), 2, "the room is used")
		assert.Equal(t, 120, lengths()[0]+lengths()[1])
		edit(c, "web", sized(0))
		c.Settle()
		assert.Equal(t, []int{0}, lengths(), "one is left, to say that there is nobody")
	})
}

func TestAPodIsBehindEveryServiceThatSelectsIt(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		kubetest.Create(c, service("all", app("web")))
		kubetest.Create(c, service("blue", map[string]string{"app": "web", "colour": "blue"}))
		kubetest.Create(c, service("by-hand", nil))
		blue := kubetest.Pod("web-1", kubetest.Container("web", "web:v1"))
		blue.Labels = map[string]string{"app": "web", "colour": "blue"}
		kubetest.Create(c, blue)
		c.Advance(10 * time.Second)
		behindOf := map[string]int{}
		for _, s := range behind(c) {
			behindOf[s.Labels[discoveryv1.LabelServiceName]] += len(s.Endpoints)
		}
		assert.Equal(t, map[string]int{"all": 1, "blue": 1}, behindOf,
			"a Service without a selector is somebody else's")
		kubetest.Edit(c, blue, func(p *corev1.Pod) { p.Labels["colour"] = "green" })
		c.Settle()
		for _, s := range behind(c) {
			behindOf[s.Labels[discoveryv1.LabelServiceName]] = len(s.Endpoints)
		}
		assert.Equal(t, map[string]int{"all": 1, "blue": 0}, behindOf)
	})
}

func TestAServiceThatIsDeletedLeavesNoSlices(t *testing.T) {
	setup := served()
	setup.Controllers = append(setup.Controllers, func(s *controlloop.System) *controlloop.Controller {
		return deployment.NewCollector(s, allKinds())
	})
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, service("web", app("web")))
		c.Settle()
		require.Len(t, behind(c), 1)
		require.NoError(t, c.Store.Delete(t.Context(), rollingupdate.ServiceKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.Settle()
		assert.Empty(t, behind(c))
	})
}

func TestAServiceAsksInItsOwnNamespaceOnly(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		for _, namespace := range []string{"default", "shop"} {
			s, d := service("web", app("web")), web("web", 1)
			s.Namespace, d.Namespace = namespace, namespace
			kubetest.Create(c, s)
			kubetest.Create(c, d)
		}
		c.Advance(10 * time.Second)
		of := map[string]int{}
		for _, slice := range behind(c) {
			of[slice.Namespace] += len(slice.Endpoints)
		}
		assert.Equal(t, map[string]int{"default": 1, "shop": 1}, of)
	})
}

// The controller owns a slice, and every field in it.
func TestASliceThatSomebodySpoilsIsPutRightAtOnce(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		kubetest.Create(c, service("web", app("web")))
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		was := who(c)
		require.Len(t, was, 1)
		kubetest.Edit(c, behind(c)[0], func(s *discoveryv1.EndpointSlice) { s.Endpoints = nil })
		require.Empty(t, who(c))
		c.Settle()
		assert.Equal(t, was, who(c), "somebody has emptied it")
		require.NoError(t, c.Store.Delete(t.Context(), rollingupdate.EndpointSliceKind,
			controlloop.KeyOf(behind(c)[0]), metav1.DeleteOptions{}))
		require.Empty(t, who(c))
		c.Settle()
		assert.Equal(t, was, who(c), "somebody has deleted it")
	})
}

// The slice that was created is not in the cache, for the connection is down;
// meanwhile Pods come, and each of them is a reason to look.
func TestASliceThatIsNotHeardOfIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	in(t, served(), func(c *kubetest.Cluster) {
		c.Run()
		c.Advance(time.Second)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Kind == rollingupdate.EndpointSliceKind && (call.Verb == "list" || call.Verb == "watch") {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		c.Client.BreakWatches(io.ErrUnexpectedEOF)
		c.Advance(10 * time.Second)
		kubetest.Create(c, service("web", app("web")))
		c.Advance(time.Second)
		kubetest.Create(c, web("web", 3))
		c.Advance(10 * time.Second)
		require.Len(t, behind(c), 1)
		c.Client.Fail(nil)
		c.Advance(10 * time.Minute)
		assert.Len(t, behind(c), 1)
		assert.Len(t, who(c), 3)
		c.Stop()
	})
}

func TestASliceThatCannotBeWrittenIsToldOfAndTriedAgain(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		kubetest.Create(c, service("web", app("web")))
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		require.Len(t, who(c), 1)
		slice := behind(c)[0].Name
		told := refusing(c, "endpointslice", "update", rollingupdate.EndpointSliceKind)
		edit(c, "web", sized(2))
		c.Advance(10 * time.Second)
		errs := told()
		require.Greater(t, len(errs), 3, "it was tried again, later and later")
		assert.Equal(t, "update default/"+slice+": unexpected EOF", errs[0])
		c.Advance(time.Minute)
		assert.Len(t, who(c), 2)
	})
}

func TestAServiceOnItsWayOutGetsNoSlices(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		s := service("web", app("web"))
		s.Finalizers = []string{"example.com/hold"}
		kubetest.Create(c, s)
		require.NoError(t, c.Store.Delete(t.Context(), rollingupdate.ServiceKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.Settle()
		assert.Empty(t, behind(c), "what is created now, the collector would have to find")
	})
}

func TestASliceOfAServiceWithoutAnAddressSaysSo(t *testing.T) {
	in(t, served(), func(c *kubetest.Cluster) {
		s := service("web", app("web"))
		s.Spec.ClusterIP = corev1.ClusterIPNone
		kubetest.Create(c, s)
		c.Settle()
		require.Len(t, behind(c), 1)
		assert.Contains(t, behind(c)[0].Labels, "service.kubernetes.io/headless")
	})
}

// The cache does not know at once of a slice that was created, and
// a second look must not create it a second time. The load of
// events is real: all at once.
func TestNoEndpointIsInTwoSlices(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		setup := served()
		setup.Seed = seed
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, service("web", app("web")))
			kubetest.Create(c, web("web", 5))
			c.Advance(20 * time.Second)
			edit(c, "web", image("web:v2"))
			c.Advance(40 * time.Second)
			assert.Len(t, behind(c), 1, "seed %d", seed)
			want := slices.Repeat([]string{"web:v2: ready serving"}, 5)
			assert.Equal(t, want, who(c), fmt.Sprint("seed ", seed))
		})
	}
}
