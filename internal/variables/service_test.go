package variables_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/variables"
)

// serviceAt returns a Service with ports of TCP; the first may have no name.
func serviceAt(namespace, name, ip string, ports map[string]int32) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       corev1.ServiceSpec{ClusterIP: ip},
	}
	for _, port := range []string{"", "admin", "dns-tcp"} {
		if number, ok := ports[port]; ok {
			s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{
				Name: port, Port: number, Protocol: corev1.ProtocolTCP})
		}
	}
	return s
}

func TestAContainerIsToldWhereServicesAre(t *testing.T) {
	all := []*corev1.Service{
		serviceAt("default", "kubernetes", "10.96.0.1", map[string]int32{"": 443}),
		serviceAt("default", "web-shop", "10.96.0.7", map[string]int32{"admin": 81, "dns-tcp": 53}),
		serviceAt("default", "web", "None", map[string]int32{"": 80}),
		serviceAt("default", "late", "", map[string]int32{"": 80}),
		serviceAt("other", "db", "10.96.0.8", map[string]int32{"": 80}),
	}
	of := func(namespace string) []*corev1.Service {
		return slices.DeleteFunc(slices.Clone(all), func(s *corev1.Service) bool {
			return s.Namespace != namespace
		})
	}
	api := []string{
		"KUBERNETES_PORT=tcp://10.96.0.1:443", "KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443",
		"KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1", "KUBERNETES_PORT_443_TCP_PORT=443",
		"KUBERNETES_PORT_443_TCP_PROTO=tcp", "KUBERNETES_SERVICE_HOST=10.96.0.1",
		"KUBERNETES_SERVICE_PORT=443",
	}
	shop := []string{
		"WEB_SHOP_PORT=tcp://10.96.0.7:81", "WEB_SHOP_PORT_53_TCP=tcp://10.96.0.7:53",
		"WEB_SHOP_PORT_53_TCP_ADDR=10.96.0.7", "WEB_SHOP_PORT_53_TCP_PORT=53",
		"WEB_SHOP_PORT_53_TCP_PROTO=tcp", "WEB_SHOP_PORT_81_TCP=tcp://10.96.0.7:81",
		"WEB_SHOP_PORT_81_TCP_ADDR=10.96.0.7", "WEB_SHOP_PORT_81_TCP_PORT=81",
		"WEB_SHOP_PORT_81_TCP_PROTO=tcp", "WEB_SHOP_SERVICE_PORT=81",
		"WEB_SHOP_SERVICE_PORT_ADMIN=81", "WEB_SHOP_SERVICE_PORT_DNS_TCP=53",
	}
	for name, c := range map[string]struct {
		edit func(*corev1.Pod)
		want []string
	}{
		"of its namespace": {func(*corev1.Pod) {}, slices.Concat(api, shop)},
		"without links":    {func(p *corev1.Pod) { p.Spec.EnableServiceLinks = new(false) }, api},
		"elsewhere": {func(p *corev1.Pod) { p.Namespace = "other" }, slices.Concat([]string{
			"DB_PORT=tcp://10.96.0.8:80", "DB_PORT_80_TCP=tcp://10.96.0.8:80",
			"DB_PORT_80_TCP_ADDR=10.96.0.8", "DB_PORT_80_TCP_PORT=80", "DB_PORT_80_TCP_PROTO=tcp",
			"DB_SERVICE_HOST=10.96.0.8", "DB_SERVICE_PORT=80"}, api)},
	} {
		p := pod()
		c.edit(p)
		next, err := variables.From(store(t)).WithServices(of).Resolve(t.Context(), p, &corev1.Container{
			Env: []corev1.EnvVar{
				{Name: "A", Value: "$(KUBERNETES_SERVICE_HOST)"},
				{Name: "WEB_SHOP_SERVICE_HOST", Value: "mine"},
			},
			Args: []string{"$(WEB_SHOP_SERVICE_HOST)", "$(KUBERNETES_PORT_443_TCP_PROTO)"},
		})
		require.NoError(t, err)
		var env []string
		for _, v := range next.Env {
			env = append(env, v.Name+"="+v.Value)
		}
		want := []string{"A=10.96.0.1", "WEB_SHOP_SERVICE_HOST=mine"}
		assert.Equal(t, append(want, c.want...), env, name)
		assert.Equal(t, []string{"mine", "tcp"}, next.Args, "%s: what is declared counts", name)
	}
}
