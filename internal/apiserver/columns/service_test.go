//lint:file-ignore SA1019 Endpoints are deprecated, and people ask for them still.

package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"reconcile/internal/apiserver/columns"
)

func TestAServiceSaysHowItIsReached(t *testing.T) {
	balanced := corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{
		{Hostname: "b.example.com"}, {IP: "203.0.113.1"}, {IP: "203.0.113.1"}, {},
	}}
	for name, test := range map[string]struct {
		spec   corev1.ServiceSpec
		status corev1.LoadBalancerStatus
		want   []any
	}{
		"inside": {
			corev1.ServiceSpec{
				Type: corev1.ServiceTypeClusterIP, ClusterIPs: []string{"10.96.0.7", "fd00::7"},
				Ports: []corev1.ServicePort{
					{Port: 80, Protocol: corev1.ProtocolTCP}, {Port: 53, Protocol: corev1.ProtocolUDP},
				},
				Selector: map[string]string{"app": "web"},
			}, balanced,
			[]any{"ClusterIP", "10.96.0.7", "<none>", "80/TCP,53/UDP", "5m", "app=web"},
		},
		"nowhere": {
			corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}, balanced,
			[]any{"ClusterIP", "<none>", "<none>", "<none>", "5m", "<none>"},
		},
		"on every node": {
			corev1.ServiceSpec{
				Type: corev1.ServiceTypeNodePort, ExternalIPs: []string{"192.0.2.1", "192.0.2.2"},
				Ports: []corev1.ServicePort{
					{Port: 80, NodePort: 30080, Protocol: corev1.ProtocolTCP},
				},
			}, balanced,
			[]any{"NodePort", "<none>", "192.0.2.1,192.0.2.2", "80:30080/TCP", "5m", "<none>"},
		},
		"balanced": {
			corev1.ServiceSpec{
				Type: corev1.ServiceTypeLoadBalancer, ExternalIPs: []string{"192.0.2.1"},
			}, balanced,
			[]any{"LoadBalancer", "<none>", "203.0.113.1,b.example.com,192.0.2.1",
				"<none>", "5m", "<none>"},
		},
		"to be balanced": {
			corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}, corev1.LoadBalancerStatus{},
			[]any{"LoadBalancer", "<none>", "<pending>", "<none>", "5m", "<none>"},
		},
		"elsewhere": {
			corev1.ServiceSpec{
				Type: corev1.ServiceTypeExternalName, ExternalName: "example.com",
			}, balanced,
			[]any{"ExternalName", "<none>", "example.com", "<none>", "5m", "<none>"},
		},
		"in a way nobody knows": {
			corev1.ServiceSpec{Type: "Any"}, balanced,
			[]any{"Any", "<none>", "<unknown>", "<none>", "5m", "<none>"},
		},
	} {
		s := &corev1.Service{ObjectMeta: web, Spec: test.spec}
		s.Status.LoadBalancer = test.status
		assert.Equal(t, append([]any{"web"}, test.want...), cells(columns.Service, s), name)
	}
}

func TestEndpointsShowTheFirstThree(t *testing.T) {
	address := func(ips ...string) (all []corev1.EndpointAddress) {
		for _, ip := range ips {
			all = append(all, corev1.EndpointAddress{IP: ip})
		}
		return all
	}
	http := []corev1.EndpointPort{{Name: "http", Port: 80}, {Name: "https", Port: 443}}
	for want, subsets := range map[string][]corev1.EndpointSubset{
		"<none>":                       nil,
		"":                             {{NotReadyAddresses: address("10.244.1.1"), Ports: http}},
		"10.244.1.1:80,10.244.1.1:443": {{Addresses: address("10.244.1.1"), Ports: http}},
		"10.244.1.1,[fd00::1]:80,[fd00::1]:443": {
			{Addresses: address("10.244.1.1")}, {Addresses: address("fd00::1"), Ports: http},
		},
		"10.244.1.1:80,10.244.1.2:80,10.244.1.1:443 + 1 more...": {
			{Addresses: address("10.244.1.1", "10.244.1.2"), Ports: http},
		},
	} {
		e := &corev1.Endpoints{ObjectMeta: web, Subsets: subsets}
		assert.Equal(t, []any{"web", want, "5m"}, cells(columns.Endpoints, e))
	}
}

func TestASliceShowsTheFirstThree(t *testing.T) {
	s := &discoveryv1.EndpointSlice{
		ObjectMeta: web, AddressType: discoveryv1.AddressTypeIPv4,
	}
	assert.Equal(t, []any{"web", "IPv4", "<unset>", "<unset>", "5m"},
		cells(columns.EndpointSlice, s))
	s.Ports = []discoveryv1.EndpointPort{
		{Name: new("http"), Port: new(int32(80))}, {Name: new("any")}, {},
	}
	s.Endpoints = []discoveryv1.Endpoint{
		{Addresses: []string{"a", "b"}}, {Addresses: []string{"c", "d"}}, {Addresses: []string{"e"}},
	}
	assert.Equal(t, []any{"web", "IPv4", "80,any,*", "a,b,c + 2 more...", "5m"},
		cells(columns.EndpointSlice, s))
}
