package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/utils/ptr"
)

// Ingress is what a table shows of Ingresses.
var Ingress = of(ingressCells,
	name,
	text("Class", "The name of the IngressClass resource that should be used for "+
		"additional configuration"),
	text("Hosts", "Hosts that incoming requests are matched against before the "+
		"ingress rule"),
	text("Address", "Address is a list containing ingress points for the load-balancer"),
	text("Ports", "Ports of TLS configurations that open"),
	created,
)

func ingressCells(i *networkingv1.Ingress, now time.Time) []any {
	ports := "80"
	if len(i.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{
		i.Name,
		ptr.Deref(i.Spec.IngressClassName, "<none>"),
		ingressHosts(i.Spec.Rules),
		ingressAddresses(i.Status.LoadBalancer.Ingress),
		ports,
		age(i.CreationTimestamp, now),
	}
}

// ingressHosts returns the first hosts of rules; the number of further ones
// counts rules without one as well, as in Kubernetes.
func ingressHosts(rules []networkingv1.IngressRule) string {
	var hosts []string
	for _, rule := range rules {
		if len(hosts) == shown {
			return fmt.Sprintf("%s + %d more...",
				strings.Join(hosts, ","), len(rules)-shown)
		}
		if rule.Host != "" {
			hosts = append(hosts, rule.Host)
		}
	}
	return cmp.Or(strings.Join(hosts, ","), "*")
}

func ingressAddresses(points []networkingv1.IngressLoadBalancerIngress) string {
	var all []string
	for _, point := range points {
		if address := cmp.Or(point.IP, point.Hostname); address != "" {
			all = append(all, address)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}
