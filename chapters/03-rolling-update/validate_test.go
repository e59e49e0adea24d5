package rollingupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

func TestADeploymentRollsByAQuarter(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	obj, err := store.Create(t.Context(), web("web", 3))
	require.NoError(t, err)
	strategy := obj.(*appsv1.Deployment).Spec.Strategy
	assert.Equal(t, appsv1.RollingUpdateDeploymentStrategyType, strategy.Type)
	assert.Equal(t, "25%", strategy.RollingUpdate.MaxSurge.String())
	assert.Equal(t, "25%", strategy.RollingUpdate.MaxUnavailable.String())

	half := web("half", 3, func(d *appsv1.Deployment) {
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
			MaxSurge: new(intstr.FromInt32(2)),
		}
	})
	obj, err = store.Create(t.Context(), half)
	require.NoError(t, err)
	assert.Equal(t, "25%", obj.(*appsv1.Deployment).Spec.Strategy.RollingUpdate.MaxUnavailable.String())

	obj, err = store.Create(t.Context(), web("recreate", 3, func(d *appsv1.Deployment) {
		d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	}))
	require.NoError(t, err)
	assert.Nil(t, obj.(*appsv1.Deployment).Spec.Strategy.RollingUpdate)
}

const invalid = `Deployment.apps "web" is invalid: spec.strategy.rollingUpdate`

func TestBoundsBetweenWhichNothingCouldMoveAreRefused(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	for _, test := range []struct{ surge, unavailable, want string }{
		{"0", "0", `.maxUnavailable: Invalid value: 0: may not be 0 when ` + "`maxSurge` is 0"},
		{"0%", "0", `.maxUnavailable: Invalid value: 0: may not be 0 when ` + "`maxSurge` is 0"},
		{"0", "101%", `.maxUnavailable: Invalid value: "101%": must not be greater than 100%`},
		{"-1", "1", `.maxSurge: Invalid value: -1: must be greater than or equal to 0`},
		{"25", "some", `.maxUnavailable: Invalid value: "some": a valid percent string must be ` +
			`a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`},
		{"2.5%", "1", `.maxSurge: Invalid value: "2.5%": a valid percent string must be ` +
			`a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`},
	} {
		_, err := store.Create(t.Context(), web("web", 3, bounds(test.surge, test.unavailable)))
		assert.EqualError(t, err, invalid+test.want)
	}
	for _, test := range [][2]string{{"200%", "100%"}, {"0", "1%"}, {"1%", "0"}, {"100", "0%"}} {
		d := web("", 3, bounds(test[0], test[1]))
		d.GenerateName = "web-"
		_, err := store.Create(t.Context(), d)
		assert.NoError(t, err, test)
	}
}

func TestWhatChapter2RefusesIsStillRefused(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	_, err := store.Create(t.Context(), web("web", -1, bounds("0", "0")))
	assert.EqualError(t, err, `Deployment.apps "web" is invalid: [`+
		`spec.replicas: Invalid value: -1: must be greater than or equal to 0, `+
		`spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `+"`maxSurge` is 0]")
	obj, err := store.Create(t.Context(), web("web", 1))
	require.NoError(t, err)
	changed := controlloop.Copy(obj.(*appsv1.Deployment))
	changed.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	changed.Spec.Template.Labels = changed.Spec.Selector.MatchLabels
	_, err = store.Update(t.Context(), changed)
	assert.ErrorContains(t, err, "spec.selector: Invalid value")
	assert.ErrorContains(t, err, "field is immutable")
}

func service(name string, selector map[string]string, ports ...corev1.ServicePort) *corev1.Service {
	if ports == nil {
		ports = []corev1.ServicePort{{Port: 80}}
	}
	s := &corev1.Service{Spec: corev1.ServiceSpec{Selector: selector, Ports: ports}}
	s.Name = name
	return s
}

func TestAServiceGetsAnAddressAndKeepsIt(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	obj, err := store.Create(t.Context(), service("web", nil))
	require.NoError(t, err)
	s := obj.(*corev1.Service)
	assert.Equal(t, "10.110.35.135", s.Spec.ClusterIP, "the same in every run")
	assert.Equal(t, []string{s.Spec.ClusterIP}, s.Spec.ClusterIPs)
	assert.Equal(t, corev1.ServiceTypeClusterIP, s.Spec.Type)
	assert.Equal(t, corev1.ServiceAffinityNone, s.Spec.SessionAffinity)
	assert.Equal(t, corev1.ServicePort{Port: 80, Protocol: corev1.ProtocolTCP,
		TargetPort: intstr.FromInt32(80)}, s.Spec.Ports[0])

	moved := controlloop.Copy(s)
	moved.Spec.ClusterIP = "10.96.1.1"
	moved.Spec.ClusterIPs = []string{"10.96.1.1"}
	_, err = store.Update(t.Context(), moved)
	assert.EqualError(t, err, `Service "web" is invalid: spec.clusterIPs[0]: `+
		`Invalid value: ["10.96.1.1"]: may not change once set`)

	obj, err = store.Create(t.Context(), service("api", nil))
	require.NoError(t, err)
	assert.NotEqual(t, s.Spec.ClusterIP, obj.(*corev1.Service).Spec.ClusterIP)
	for _, name := range []string{"headless", "another"} {
		headless := service(name, nil)
		headless.Spec.ClusterIP, headless.Spec.Ports = corev1.ClusterIPNone, nil
		obj, err = store.Create(t.Context(), headless)
		require.NoError(t, err)
		assert.Equal(t, "None", obj.(*corev1.Service).Spec.ClusterIP)
	}
}

func TestAServiceThatIsAnotherNameHasNoAddressAndMayGetOne(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	other := service("web", nil)
	other.Spec.Type, other.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.com"
	other.Spec.Ports = nil
	obj, err := store.Create(t.Context(), other)
	require.NoError(t, err)
	assert.Empty(t, obj.(*corev1.Service).Spec.ClusterIP)
	assert.Empty(t, obj.(*corev1.Service).Spec.ClusterIPs)

	obj, err = store.Update(t.Context(), service("web", nil))
	require.NoError(t, err, "clients of a name hold on to no address")
	assert.NotEmpty(t, obj.(*corev1.Service).Spec.ClusterIP)
	_, err = store.Update(t.Context(), other)
	assert.NoError(t, err)
}

func TestAnAddressMayBeSaidInTheListAlone(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	s := service("web", nil)
	s.Spec.ClusterIPs = []string{"10.96.0.9", "fd00::9"}
	obj, err := store.Create(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, "10.96.0.9", obj.(*corev1.Service).Spec.ClusterIP)
	assert.Equal(t, s.Spec.ClusterIPs, obj.(*corev1.Service).Spec.ClusterIPs)
}

func TestAnAddressIsOneServicesUntilThatIsGone(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	with := func(name string) *corev1.Service {
		s := service(name, nil)
		s.Spec.ClusterIP = "10.96.0.9"
		return s
	}
	_, err := store.Create(t.Context(), with("web"))
	require.NoError(t, err)
	_, err = store.Create(t.Context(), with("other"))
	assert.EqualError(t, err, `Service "other" is invalid: spec.clusterIPs: `+
		`Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: `+
		`provided IP is already allocated`)
	require.NoError(t, store.Delete(t.Context(), rollingupdate.ServiceKind,
		kubetest.Named("web"), metav1.DeleteOptions{}))
	_, err = store.Create(t.Context(), with("other"))
	assert.NoError(t, err)
}

func TestAPortOfASliceHasANameAndAProtocolEvenIfItWasGivenNone(t *testing.T) {
	store := controlloop.NewStore(allKinds())
	slice := &discoveryv1.EndpointSlice{
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports: []discoveryv1.EndpointPort{
			{Port: new(int32(80))},
			{Name: new("dns"), Protocol: new(corev1.ProtocolUDP), Port: new(int32(53))},
		},
	}
	slice.Name = "web"
	obj, err := store.Create(t.Context(), slice)
	require.NoError(t, err)
	assert.Equal(t, []discoveryv1.EndpointPort{
		{Name: new(""), Protocol: new(corev1.ProtocolTCP), Port: new(int32(80))},
		{Name: new("dns"), Protocol: new(corev1.ProtocolUDP), Port: new(int32(53))},
	}, obj.(*discoveryv1.EndpointSlice).Ports)
}
