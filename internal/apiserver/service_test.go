package apiserver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const services = "/api/v1/namespaces/default/services"

// serviceOf returns what the server has made of a Service of this type.
func (a *api) serviceOf(t corev1.ServiceType) corev1.Service {
	got := a.post(services, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: t, Ports: []corev1.ServicePort{{Port: 80}}},
	})
	return into[corev1.Service](201, got)
}

func TestAServiceGivesUpWhatItsNewTypeHasNoUseFor(t *testing.T) {
	for _, was := range []corev1.ServiceType{"ClusterIP", "NodePort", "LoadBalancer"} {
		t.Run(string(was), func(t *testing.T) {
			a := newAPI(t)
			s := a.serviceOf(was)
			require.NotEmpty(t, s.Spec.ClusterIPs)
			s.Spec.Type, s.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.com"
			next := into[corev1.Service](200, a.put(services+"/web", s))
			assert.Equal(t, corev1.ServiceSpec{
				Type: corev1.ServiceTypeExternalName, ExternalName: "example.com",
				Ports:                 []corev1.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: s.Spec.Ports[0].TargetPort}},
				SessionAffinity:       corev1.ServiceAffinityNone,
				InternalTrafficPolicy: s.Spec.InternalTrafficPolicy,
			}, next.Spec)
			next.Spec.Type, next.Spec.ExternalName = corev1.ServiceTypeClusterIP, ""
			assert.NotEmpty(t, into[corev1.Service](200, a.put(services+"/web", next)).Spec.ClusterIP, "it gets another")
		})
	}
}

func TestAServiceThatIsNoLongerOnTheNodesGivesItsPortsUp(t *testing.T) {
	a := newAPI(t)
	s := a.serviceOf(corev1.ServiceTypeNodePort)
	address := s.Spec.ClusterIP
	require.NotZero(t, s.Spec.Ports[0].NodePort)
	s.Spec.Type = corev1.ServiceTypeClusterIP
	next := into[corev1.Service](200, a.put(services+"/web", s))
	assert.Zero(t, next.Spec.Ports[0].NodePort)
	assert.Empty(t, next.Spec.ExternalTrafficPolicy)
	assert.Equal(t, address, next.Spec.ClusterIP)
}

func TestWhatAClientSaysWithTheNewTypeIsHeld(t *testing.T) {
	a := newAPI(t)
	s := a.serviceOf(corev1.ServiceTypeNodePort)
	for change, want := range map[string]string{
		`"type":"ClusterIP","ports":[{"port":80,"nodePort":30999}]`: "spec.ports[0].nodePort: Forbidden: " +
			"may not be used when `type` is 'ClusterIP'",
		`"type":"ExternalName","externalName":"example.com","clusterIP":"10.96.9.9","clusterIPs":["10.96.9.9"]`: "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
	} {
		got := a.patch(services+"/web", "application/merge-patch+json", fmt.Sprintf(`{"spec":{%s}}`, change))
		assert.Equal(t, 422, got.code)
		assert.Contains(t, got.refusal().Message, want)
	}
	assert.Equal(t, s.Spec, into[corev1.Service](200, a.get(services+"/web")).Spec)
}
