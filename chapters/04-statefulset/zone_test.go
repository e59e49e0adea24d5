package statefulset_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// town returns a cluster of names: a Service with an address, a headless one with
// two Pods that are ready and one that is not, another with one of the two, that
// is on its way from slice to slice, one that is elsewhere, and a lonely one in a
// namespace of its own.
func town(t testing.TB) *statefulset.Zone {
	t.Helper()
	var all []controlloop.Object
	create := func(obj controlloop.Object) { all = append(all, obj) }
	service := func(name, address string, change func(*corev1.ServiceSpec)) {
		s := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: corev1.ServiceSpec{
				ClusterIP: address,
				Ports:     []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}},
			},
		}
		change(&s.Spec)
		create(s)
	}
	same := func(*corev1.ServiceSpec) {}
	service("front", "10.99.0.1", func(s *corev1.ServiceSpec) {
		s.Ports = append(s.Ports, corev1.ServicePort{
			Name: "names", Port: 53, Protocol: corev1.ProtocolUDP})
	})
	service("nginx", "None", same)
	service("empty", "None", same)
	service("peers", "None", same)
	service("away", "", func(s *corev1.ServiceSpec) {
		s.Type, s.ExternalName, s.Ports = corev1.ServiceTypeExternalName, "example.com", nil
	})
	create(slice("nginx", 8080,
		endpoint("10.244.1.2", "web-0", true), endpoint("10.244.2.2", "web-1", true),
		endpoint("10.244.1.9", "web-2", false)))
	create(slice("nginx", 8080, endpoint("10.244.1.7", "", true)))
	create(slice("peers", 7000, endpoint("10.244.2.2", "web-1", true)))
	moving := slice("peers", 7000, endpoint("10.244.2.2", "web-1", true))
	moving.Name = "another" // before those of nginx
	create(moving)
	create(slice("front", 8080, endpoint("10.244.1.8", "", true)))
	alone := headless("alone")
	alone.Namespace = "shop"
	create(alone)
	silent := slice("alone", 0, discoveryv1.Endpoint{Addresses: []string{"10.244.3.1"}},
		endpoint("10.244.3.9", "twin", true), endpoint("10.244.3.2", "twin", true))
	silent.Namespace, silent.Ports[0].Port = "shop", nil // any
	create(silent)
	waits := headless("waits") // for its Pods
	waits.Namespace = "new"
	create(waits)
	left := slice("gone", 80, endpoint("10.244.3.3", "", true))
	left.Namespace = "old" // its Service is gone
	create(left)
	return zoneOf(t, all...)
}

// zoneKinds returns the kinds that a zone hears of.
func zoneKinds() controlloop.Kinds {
	return controlloop.Kinds{}.With(controlloop.Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Service"), Resource: "services",
		Namespaced: true, HasStatus: true,
		New: func() controlloop.Object { return &corev1.Service{} },
	}, controlloop.Kind{
		GroupVersionKind: discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), Resource: "endpointslices",
		Namespaced: true,
		New:        func() controlloop.Object { return &discoveryv1.EndpointSlice{} },
	})
}

// zoneOf returns the zone of these Services and slices.
func zoneOf(t testing.TB, all ...controlloop.Object) *statefulset.Zone {
	t.Helper()
	store := controlloop.NewStore(zoneKinds())
	system := &controlloop.System{Client: store}
	zone := statefulset.NewZone(system, "cluster.local")
	for _, obj := range all {
		_, err := store.Create(context.Background(), obj)
		require.NoError(t, err)
	}
	for range 1 + len(all) {
		_, err := system.Step(context.Background(), controlloop.InOrder)
		require.NoError(t, err)
	}
	return zone
}

func slice(of string, port int32, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: of + "-", Namespace: "default",
			Labels: map[string]string{discoveryv1.LabelServiceName: of},
		},
		AddressType: discoveryv1.AddressTypeIPv4, Endpoints: endpoints,
		Ports: []discoveryv1.EndpointPort{{
			Name: new("web"), Port: &port, Protocol: new(corev1.ProtocolTCP),
		}},
	}
}

func endpoint(address, host string, ready bool) discoveryv1.Endpoint {
	e := discoveryv1.Endpoint{
		Addresses:  []string{address},
		Conditions: discoveryv1.EndpointConditions{Ready: &ready},
	}
	if host != "" {
		e.Hostname = &host
	}
	return e
}

// stands returns what a name stands for, in a line.
func stands(f statefulset.Found) string {
	if !f.Exists {
		return "-"
	}
	text := f.Alias
	for _, address := range f.Addresses {
		text += address.String() + " "
	}
	for _, port := range f.Ports {
		text += port.Host + " "
	}
	return text
}

// A Service's name is its address; a headless one's is those of its Pods.
func TestAServiceStandsForItsAddressOrForItsPods(t *testing.T) {
	zone := town(t)
	for _, c := range []struct {
		want string
		name []string
	}{
		{"10.99.0.1 ", []string{"svc", "default", "front"}},
		{"10.244.1.2 10.244.1.7 10.244.2.2 ", []string{"svc", "default", "nginx"}},
		{"-", []string{"svc", "default", "empty"}}, // as CoreDNS says
		{"example.com", []string{"svc", "default", "away"}},
		{"-", []string{"svc", "default", "nobody"}},
		{"-", []string{"svc", "other", "nginx"}},
	} {
		assert.Equal(t, c.want, stands(zone.LookUp(c.name)), "%v", c.name)
	}
}

// Below its Service each Pod has a name, as long as it is to be asked.
func TestAPodHasANameBelowItsService(t *testing.T) {
	zone := town(t)
	for host, want := range map[string]string{
		"web-0": "10.244.1.2 ", "web-1": "10.244.2.2 ", "10-244-1-7": "10.244.1.7 ",
		"web-2": "-", "web-3": "-", "10-244-1-2": "-",
	} {
		assert.Equal(t, want, stands(zone.LookUp([]string{"svc", "default", "nginx", host})), host)
	}
	assert.Equal(t, "10.244.1.8 ", stands(zone.LookUp([]string{"svc", "default", "front", "10-244-1-8"})),
		"a Service with an address has names for its Pods too, as in CoreDNS")
}

// A name that has others below it exists, even if it stands for nothing.
func TestANameOnTheWayToOthersIsThere(t *testing.T) {
	zone := town(t)
	for want, names := range map[bool][][]string{
		true: {{}, {"svc"}, {"svc", "default"}, {"svc", "shop"}, {"svc", "new"}, {"pod"}, {"pod", "default"}},
		false: {{"nope"}, {"nope", "default", "front"}, {"svc", "other"}, {"svc", "old"},
			{"svc", "default", "away", "x"}, {"svc", "default", "nginx", "_tcp", "_web", "x"}},
	} {
		for _, name := range names {
			assert.Equal(t, want, zone.LookUp(name).Exists, "%v", name)
		}
	}
}

// The author of a slice need not say of an endpoint that it is ready, which port
// it has, or that no other has its name.
func TestWhatIsNotSaidOfAnEndpoint(t *testing.T) {
	zone := town(t)
	assert.Equal(t, "10.244.3.1 10.244.3.2 10.244.3.9 ", stands(zone.LookUp([]string{"svc", "shop", "alone"})))
	assert.Equal(t, "10.244.3.2 10.244.3.9 ", stands(zone.LookUp([]string{"svc", "shop", "alone", "twin"})))
	assert.Equal(t, "-", stands(zone.LookUp([]string{"svc", "shop", "alone", "_tcp", "_web"})))
}

// A Pod that is on its way from one slice to another is in both for a moment.
func TestAPodThatIsInTwoSlicesIsOne(t *testing.T) {
	zone := town(t)
	assert.Equal(t, "10.244.2.2 ", stands(zone.LookUp([]string{"svc", "default", "peers"})))
	assert.Equal(t, "10.244.2.2 ", stands(zone.LookUp([]string{"svc", "default", "peers", "web-1"})))
	assert.Len(t, zone.LookUp([]string{"svc", "default", "peers", "_tcp", "_web"}).Ports, 1)
}

// Below pod each address has a name, whichever Pod bears it.
func TestAnAddressHasANameOfItsOwn(t *testing.T) {
	zone := town(t)
	for label, want := range map[string]string{
		"10-244-1-2": "10.244.1.2 ", "10-9-8-7": "10.9.8.7 ",
		"x": "-", "10-9-8": "-", "10-9-8-256": "-", "fe80::1": "-",
	} {
		assert.Equal(t, want, stands(zone.LookUp([]string{"pod", "default", label})), label)
	}
	assert.Equal(t, "-", stands(zone.LookUp([]string{"pod", "default", "10-9-8-7", "x"})))
	assert.Equal(t, "10.9.8.7 ", stands(zone.LookUp([]string{"pod", "nowhere", "10-9-8-7"})), "no namespace is checked")
}

// A named port is asked for with underscores, the last first.
func TestAPortLeadsToWhoHasIt(t *testing.T) {
	zone := town(t)
	found := zone.LookUp([]string{"svc", "default", "nginx", "_tcp", "_web"})
	require.Len(t, found.Ports, 3)
	assert.Equal(t, "web-0.nginx.default.svc.cluster.local", found.Ports[0].Host)
	assert.EqualValues(t, 8080, found.Ports[0].Number)
	found = zone.LookUp([]string{"svc", "default", "front", "_tcp", "_web"})
	require.Len(t, found.Ports, 1)
	assert.Equal(t, "front.default.svc.cluster.local", found.Ports[0].Host)
	assert.EqualValues(t, 80, found.Ports[0].Number)
	found = zone.LookUp([]string{"svc", "default", "front", "_udp", "_names"})
	require.Len(t, found.Ports, 1)
	assert.EqualValues(t, 53, found.Ports[0].Number)
	assert.Equal(t, "-", stands(zone.LookUp([]string{"svc", "default", "nginx", "_udp", "_web"})))
	assert.Equal(t, "-", stands(zone.LookUp([]string{"svc", "default", "nginx", "_tcp", "_ssh"})))
}

func headless(name string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.ServiceSpec{
			ClusterIP: "None", Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}},
		},
	}
}

func withAddress(name, address string) *corev1.Service {
	service := headless(name)
	service.Spec.ClusterIP = address
	return service
}
