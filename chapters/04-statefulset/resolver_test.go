package statefulset_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// inside returns the resolver of a Pod of a namespace.
func inside(zone *statefulset.Zone, namespace string) *statefulset.Resolver {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
	return zone.For(pod).(*statefulset.Resolver)
}

func TestAPodLooksInItsOwnNamespaceFirst(t *testing.T) {
	zone := town(t)
	for _, c := range []struct {
		from, name, want string
	}{
		{"default", "front", "10.99.0.1"},
		{"default", "web-0.nginx", "10.244.1.2"},
		{"default", "WEB-0.Nginx.default.svc.cluster.local.", "10.244.1.2"},
		{"other", "front", ""},
		{"other", "front.default", "10.99.0.1"},
		{"other", "front.default.svc", "10.99.0.1"},
		{"other", "front.default.svc.cluster.local", "10.99.0.1"},
		{"default", "front.", ""},
		{"default", "front.default.svc.", ""},
		{"default", "front.default.svccluster.local.", ""},
		{"default", "10-9-8-7.default.pod", "10.9.8.7"},
		{"default", "empty", ""},
		{"default", "example.com", ""},
		{"default", "", ""},
		{"default", ".", ""},
		{"default", "front..default", ""},
	} {
		got, err := inside(zone, c.from).LookupHost(context.Background(), c.name)
		if c.want == "" {
			assert.Equal(t, &net.DNSError{Err: "no such host", Name: c.name, IsNotFound: true}, err, c.name)
		} else if assert.NoError(t, err, c.name) {
			assert.Equal(t, []string{c.want}, got, c.name)
		}
	}
}

func TestANameOfManyIsAllOfTheirAddresses(t *testing.T) {
	found, err := inside(town(t), "default").LookupHost(context.Background(), "nginx")
	assert.NoError(t, err)
	assert.Equal(t, []string{"10.244.1.2", "10.244.1.7", "10.244.2.2"}, found)
}

func TestAPodCompletesNamesAsItsFileSays(t *testing.T) {
	assert.Equal(t, "search shop.svc.cluster.local svc.cluster.local cluster.local\n"+
		"nameserver 10.96.0.10\noptions ndots:5\n", inside(town(t), "shop").Conf())
}

// A name with fewer than five dots is taken for a short one.
func TestAShortNameIsCompletedBeforeItIsTriedAsItIs(t *testing.T) {
	resolver := inside(town(t), "shop")
	const one, two, three = ".shop.svc.cluster.local", ".svc.cluster.local", ".cluster.local"
	for host, want := range map[string][]string{
		"front":       {"front" + one, "front" + two, "front" + three, "front"},
		"a.b.c.d.e":   {"a.b.c.d.e" + one, "a.b.c.d.e" + two, "a.b.c.d.e" + three, "a.b.c.d.e"},
		"a.b.c.d.e.f": {"a.b.c.d.e.f", "a.b.c.d.e.f" + one, "a.b.c.d.e.f" + two, "a.b.c.d.e.f" + three},
		"front.":      {"front"},
	} {
		assert.Equal(t, want, resolver.Candidates(host))
	}
}

func TestAnAddressLeadsBackToItsNames(t *testing.T) {
	resolver := inside(town(t), "default")
	for address, want := range map[string][]string{
		"10.99.0.1":  {"front.default.svc.cluster.local"},
		"10.244.1.2": {"web-0.nginx.default.svc.cluster.local"},
		"10.244.2.2": {"web-1.nginx.default.svc.cluster.local", "web-1.peers.default.svc.cluster.local"},
		"10.244.1.7": {"10-244-1-7.nginx.default.svc.cluster.local"},
	} {
		names, err := resolver.LookupAddr(context.Background(), address)
		assert.NoError(t, err, address)
		assert.Equal(t, want, names, address)
	}
	for _, stranger := range []string{"10.244.1.9", "10.1.1.1", "nobody"} {
		_, err := resolver.LookupAddr(context.Background(), stranger)
		assert.Equal(t, &net.DNSError{Err: "no such host", Name: stranger, IsNotFound: true}, err)
	}
}

// A Service that is an alias of a name in the cluster leads wherever that name
// leads. Two that are each other's lead nowhere.
func TestAnAliasIsFollowedAndNotForEver(t *testing.T) {
	store := controlloop.NewStore(zoneKinds())
	system := &controlloop.System{Client: store}
	zone := statefulset.NewZone(system, "cluster.local")
	const end = ".default.svc.cluster.local"
	for name, leadsTo := range map[string]string{
		"one": "front" + end, "two": "one" + end + ".", "itself": "itself" + end,
		"here": "there" + end, "there": "here" + end, "away": "example.com",
		"three": "two" + end, "four": "three" + end, "five": "four" + end, "six": "five" + end,
		"seven": "six" + end, "eight": "seven" + end, "nine": "eight" + end,
		"ten": "nine" + end, "eleven": "ten" + end, "twelve": "eleven" + end,
	} {
		_, err := store.Create(t.Context(), &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: leadsTo},
		})
		require.NoError(t, err)
	}
	front := headless("front")
	front.Spec.ClusterIP = "10.99.0.1"
	_, err := store.Create(t.Context(), front)
	require.NoError(t, err)
	for more := true; more; {
		more, err = system.Step(t.Context(), controlloop.InOrder)
		require.NoError(t, err)
	}
	resolver := inside(zone, "default")
	for _, name := range []string{"front", "one", "two", "eleven"} {
		found, err := resolver.LookupHost(t.Context(), name)
		assert.NoError(t, err, name)
		assert.Equal(t, []string{"10.99.0.1"}, found, name)
	}
	for _, name := range []string{"itself", "here", "there", "away", "twelve", "web-0.one", "_tcp._web.one"} {
		_, err := resolver.LookupHost(t.Context(), name)
		assert.Error(t, err, "%s leads to nobody", name)
	}
}
