package rules_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

func service(name string, edit ...func(spec *corev1.ServiceSpec)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{
			Ports: []corev1.ServicePort{{Port: 80}},
		},
	}
	for _, e := range edit {
		e(&s.Spec)
	}
	return s
}

func ofType(kind corev1.ServiceType) func(spec *corev1.ServiceSpec) {
	return func(spec *corev1.ServiceSpec) { spec.Type = kind }
}

func TestAServiceIsGivenAnAddressOfItsOwn(t *testing.T) {
	store, obj := newStore(t, service("web"))
	web := obj.(*corev1.Service)
	assertHolds(t, fmt.Sprintf(`
        spec:
          type: ClusterIP
          clusterIP: %[1]s
          clusterIPs: [%[1]s]
          ipFamilies: [IPv4]
          ipFamilyPolicy: SingleStack
          internalTrafficPolicy: Cluster
          sessionAffinity: None
          ports: [{port: 80, protocol: TCP, targetPort: 80}]
        `, web.Spec.ClusterIP), web)
	ip, err := netip.ParseAddr(web.Spec.ClusterIP)
	require.NoError(t, err)
	assert.True(t, netip.MustParsePrefix("10.96.0.0/12").Contains(ip))

	other, err := store.Create(t.Context(), service("db"))
	require.NoError(t, err)
	assert.NotEqual(t, web.Spec.ClusterIP, other.(*corev1.Service).Spec.ClusterIP)
}

func TestTheSameServiceGetsTheSameAddressInEveryRun(t *testing.T) {
	_, once := newStore(t, service("web"))
	_, again := newStore(t, service("web"))
	assert.Equal(t, once.(*corev1.Service).Spec, again.(*corev1.Service).Spec)
}

// Names are hashed: of so many, some begin their search at the same address.
func TestFiveThousandServicesHaveFiveThousandAddresses(t *testing.T) {
	store, _ := newStore(t, service("s"))
	seen := map[string]bool{}
	for i := range 5000 {
		s, err := store.Create(t.Context(), service(fmt.Sprintf("service-%d", i)))
		require.NoError(t, err)
		seen[s.(*corev1.Service).Spec.ClusterIP] = true
	}
	assert.Len(t, seen, 5000)
}

func at(ip string) func(spec *corev1.ServiceSpec) {
	return func(spec *corev1.ServiceSpec) { spec.ClusterIP = ip }
}

func TestAnAddressThatIsTakenIsRefused(t *testing.T) {
	store, _ := newStore(t, service("web", at("10.96.0.9")))
	_, err := store.Create(t.Context(), service("db", at("10.96.0.9")))
	assert.True(t, apierrors.IsInvalid(err))
	assert.EqualError(t, err, `Service "db" is invalid: spec.clusterIPs: Invalid value: `+
		`["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated`)
	_, err = store.Create(t.Context(), service("db", at(corev1.ClusterIPNone)))
	require.NoError(t, err)
	_, err = store.Create(t.Context(), service("db-2", at(corev1.ClusterIPNone)))
	assert.NoError(t, err, "none is no address")
}

func TestAnAddressIsFreeAgainWhenItsServiceIsGone(t *testing.T) {
	store, s := newStore(t, service("web", at("10.96.0.9")))
	kind := s.GetObjectKind().GroupVersionKind()
	require.NoError(t, store.Delete(t.Context(), kind,
		controlloop.KeyOf(s), metav1.DeleteOptions{}))
	_, err := store.Create(t.Context(), service("db", at("10.96.0.9")))
	require.NoError(t, err)
	_, err = store.Update(t.Context(), service("db", ofType(corev1.ServiceTypeExternalName),
		func(spec *corev1.ServiceSpec) { spec.ExternalName = "example.com" }))
	require.NoError(t, err)
	_, err = store.Create(t.Context(), service("web", at("10.96.0.9")))
	assert.NoError(t, err, "another name for a host elsewhere has given it back")
	_, err = store.Update(t.Context(), service("db"))
	require.NoError(t, err)
	again, err := store.Get(t.Context(), kind, controlloop.Key{Namespace: "default", Name: "db"})
	require.NoError(t, err)
	assert.NotContains(t, []string{"", "10.96.0.9"}, again.(*corev1.Service).Spec.ClusterIP)
}

// A lab that goes on where another ended knows what was given.
func TestAStoreThatBeginsWithServicesKnowsTheirAddresses(t *testing.T) {
	_, s := newStore(t, service("web", at("10.96.0.9")))
	store := controlloop.NewStore(kinds.Store(kinds.All()),
		controlloop.WithObjects(7, controlloop.Copy(s)))
	_, err := store.Create(t.Context(), service("db", at("10.96.0.9")))
	assert.ErrorContains(t, err, "provided IP is already allocated")
}

func TestPortsOfNodesAreGivenToOneService(t *testing.T) {
	asks := func(spec *corev1.ServiceSpec) { spec.Ports[0].NodePort = 30080 }
	store, s := newStore(t, service("web", ofType(corev1.ServiceTypeNodePort), asks))
	_, err := store.Create(t.Context(), service("db", ofType(corev1.ServiceTypeNodePort), asks))
	assert.EqualError(t, err, `Service "db" is invalid: spec.ports[0].nodePort: `+
		`Invalid value: 30080: provided port is already allocated`)

	updated, err := store.Update(t.Context(), service("web", ofType(corev1.ServiceTypeNodePort)))
	require.NoError(t, err)
	assert.EqualValues(t, 30080, updated.(*corev1.Service).Spec.Ports[0].NodePort,
		"who had one keeps it")
	seen := map[int32]bool{30080: true}
	for i := range 2767 { // which take all the others
		s, err := store.Create(t.Context(), service(
			fmt.Sprintf("service-%d", i), ofType(corev1.ServiceTypeNodePort)))
		require.NoError(t, err)
		seen[s.(*corev1.Service).Spec.Ports[0].NodePort] = true
	}
	assert.Len(t, seen, 2768)
	_, err = store.Create(t.Context(), service("more", ofType(corev1.ServiceTypeNodePort)))
	assert.ErrorContains(t, err, "failed to allocate a nodePort: range is full")
	require.NoError(t, store.Delete(t.Context(), s.GetObjectKind().GroupVersionKind(),
		controlloop.KeyOf(s), metav1.DeleteOptions{}))
	more, err := store.Create(t.Context(), service("more", ofType(corev1.ServiceTypeNodePort)))
	require.NoError(t, err)
	assert.EqualValues(t, 30080, more.(*corev1.Service).Spec.Ports[0].NodePort)
}

func TestAHeadlessServiceHasNoAddress(t *testing.T) {
	_, s := newStore(t, service("web", func(spec *corev1.ServiceSpec) {
		spec.ClusterIP = corev1.ClusterIPNone
		spec.Selector = map[string]string{"app": "web"}
		spec.Ports = nil
	}))
	assertHolds(t, `{spec: {clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4]}}`, s)
	_, s = newStore(t, service("others", func(spec *corev1.ServiceSpec) {
		spec.ClusterIP, spec.Selector = corev1.ClusterIPNone, nil
	}))
	assertHolds(t, `{spec: {ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}}`, s)
}

func TestAnExternalNameHasNeitherAddressNorPolicy(t *testing.T) {
	_, s := newStore(t, service("web", ofType(corev1.ServiceTypeExternalName),
		func(spec *corev1.ServiceSpec) { spec.ExternalName = "example.com." }))
	spec := s.(*corev1.Service).Spec
	assert.Empty(t, spec.ClusterIP)
	assert.Empty(t, spec.ClusterIPs)
	assert.Empty(t, spec.IPFamilies)
	assert.Nil(t, spec.InternalTrafficPolicy)
}

func TestPortsOfNodesAreGivenWhereTheyAreWantedAndNotGivenTwice(t *testing.T) {
	_, s := newStore(t, service("web", ofType(corev1.ServiceTypeNodePort),
		func(spec *corev1.ServiceSpec) {
			spec.Ports = []corev1.ServicePort{
				{Name: "http", Port: 80},
				{Name: "https", Port: 443},
				{Name: "chosen", Port: 81, NodePort: 30080},
			}
		}))
	ports := s.(*corev1.Service).Spec.Ports
	assert.EqualValues(t, 30080, ports[2].NodePort)
	seen := map[int32]bool{}
	for _, port := range ports {
		assert.True(t, port.NodePort >= 30000 && port.NodePort <= 32767, port.NodePort)
		assert.False(t, seen[port.NodePort], "two ports of the Service are one of the node")
		seen[port.NodePort] = true
	}
	assertHolds(t, `{spec: {externalTrafficPolicy: Cluster}}`, s)
}

func TestAPutWithoutTheAddressKeepsIt(t *testing.T) {
	store, s := newStore(t, service("web"))
	updated, err := store.Update(t.Context(), service("web",
		func(spec *corev1.ServiceSpec) { spec.Ports[0].Port = 8080 }))
	require.NoError(t, err)
	assert.Equal(t, s.(*corev1.Service).Spec.ClusterIP,
		updated.(*corev1.Service).Spec.ClusterIP)
}

func TestAnAddressCannotChange(t *testing.T) {
	store, s := newStore(t, service("web"))
	next := controlloop.Copy(s.(*corev1.Service))
	next.Spec.ClusterIP, next.Spec.ClusterIPs = "10.96.0.7", []string{"10.96.0.7"}
	_, err := store.Update(t.Context(), next)
	assert.ErrorContains(t, err, `spec.clusterIPs[0]: Invalid value: ["10.96.0.7"]: `+
		"may not change once set")
}

func TestClientAffinityLastsThreeHoursUnlessTold(t *testing.T) {
	_, s := newStore(t, service("web", func(spec *corev1.ServiceSpec) {
		spec.SessionAffinity = corev1.ServiceAffinityClientIP
	}))
	assertHolds(t, `{spec: {sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}}}`, s)
}

func TestOneOfTheTwoWaysToGiveAnAddressIsEnough(t *testing.T) {
	_, s := newStore(t, service("web", func(spec *corev1.ServiceSpec) {
		spec.ClusterIPs = []string{"10.96.0.9"}
	}))
	assertHolds(t, `{spec: {clusterIP: 10.96.0.9, clusterIPs: [10.96.0.9]}}`, s)
}

func TestABalancedServiceHasPortsOfNodesUnlessTold(t *testing.T) {
	_, s := newStore(t, service("web", ofType(corev1.ServiceTypeLoadBalancer)))
	assertHolds(t, `{spec: {allocateLoadBalancerNodePorts: true,
		externalTrafficPolicy: Cluster}}`, s)
	assert.NotZero(t, s.(*corev1.Service).Spec.Ports[0].NodePort)

	_, s = newStore(t, service("web", ofType(corev1.ServiceTypeLoadBalancer),
		func(spec *corev1.ServiceSpec) { spec.AllocateLoadBalancerNodePorts = new(false) }))
	assert.Zero(t, s.(*corev1.Service).Spec.Ports[0].NodePort)
}

func TestWhoIsReachedFromOutsideHasAPolicyForIt(t *testing.T) {
	_, inside := newStore(t, service("web"))
	assert.Empty(t, inside.(*corev1.Service).Spec.ExternalTrafficPolicy)
	assert.Nil(t, inside.(*corev1.Service).Spec.AllocateLoadBalancerNodePorts)
	_, outside := newStore(t, service("web", func(spec *corev1.ServiceSpec) {
		spec.ExternalIPs = []string{"192.0.2.1"}
	}))
	assertHolds(t, `{spec: {externalTrafficPolicy: Cluster}}`, outside)
}

func TestAServiceMayBecomeAnExternalName(t *testing.T) {
	store, _ := newStore(t, service("web"))
	_, err := store.Update(t.Context(), service("web",
		ofType(corev1.ServiceTypeExternalName),
		func(spec *corev1.ServiceSpec) { spec.ExternalName = "example.com" }))
	assert.NoError(t, err)
}

func TestServicesOfGeneratedNamesHaveAddressesAndPortsOfTheirOwn(t *testing.T) {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	var specs []corev1.ServiceSpec
	for range 2 {
		s := service("", ofType(corev1.ServiceTypeNodePort))
		s.GenerateName = "web-"
		kind, err := kinds.Store(kinds.All()).Of(s)
		require.NoError(t, err)
		kind.Default(s) // as the API server does, before there is a name
		obj, err := store.Create(t.Context(), s)
		require.NoError(t, err)
		specs = append(specs, obj.(*corev1.Service).Spec)
	}
	assert.NotEmpty(t, specs[0].ClusterIP)
	assert.NotZero(t, specs[0].Ports[0].NodePort)
	assert.NotEqual(t, specs[0].ClusterIP, specs[1].ClusterIP)
	assert.NotEqual(t, specs[0].Ports[0].NodePort, specs[1].Ports[0].NodePort)
}

func TestAPortOfNodesIsInTheRange(t *testing.T) {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	_, err := store.Create(t.Context(), service("web", ofType(corev1.ServiceTypeNodePort),
		func(spec *corev1.ServiceSpec) { spec.Ports[0].NodePort = 8080 }))
	assert.EqualError(t, err, `Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 8080: `+
		`provided port is not in the valid range. The range of valid ports is 30000-32767`)
}

func TestALoadBalancerThatKeepsToTheNodeHasAPortToAskItAt(t *testing.T) {
	local := func(spec *corev1.ServiceSpec) {
		spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
	}
	store, s := newStore(t, service("web", ofType(corev1.ServiceTypeLoadBalancer), local))
	port := s.(*corev1.Service).Spec.HealthCheckNodePort
	assert.GreaterOrEqual(t, port, int32(30000))
	assert.NotEqual(t, s.(*corev1.Service).Spec.Ports[0].NodePort, port)
	updated, err := store.Update(t.Context(),
		service("web", ofType(corev1.ServiceTypeLoadBalancer), local))
	require.NoError(t, err)
	assert.Equal(t, port, updated.(*corev1.Service).Spec.HealthCheckNodePort)
	_, err = store.Create(t.Context(), service("db", ofType(corev1.ServiceTypeNodePort),
		func(spec *corev1.ServiceSpec) { spec.Ports[0].NodePort = port }))
	assert.ErrorContains(t, err, "provided port is already allocated")
}

func TestNoAddressIsOfTheOtherFamily(t *testing.T) {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	_, err := store.Create(t.Context(), service("web", func(spec *corev1.ServiceSpec) {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv6Protocol}
	}))
	assert.EqualError(t, err, `Service "web" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": `+
		`not configured on this cluster`)
}
