package columns

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Service is what a table shows of Services.
var Service = of(serviceCells,
	name,
	text("Type", corev1.ServiceSpec{}.SwaggerDoc()["type"]),
	text("Cluster-IP", corev1.ServiceSpec{}.SwaggerDoc()["clusterIP"]),
	text("External-IP", corev1.ServiceSpec{}.SwaggerDoc()["externalIPs"]),
	text("Port(s)", corev1.ServiceSpec{}.SwaggerDoc()["ports"]),
	created,
	wide(text("Selector", corev1.ServiceSpec{}.SwaggerDoc()["selector"])),
)

func serviceCells(s *corev1.Service, now time.Time) []any {
	ip := "<none>"
	if len(s.Spec.ClusterIPs) > 0 {
		ip = s.Spec.ClusterIPs[0]
	}
	return []any{
		s.Name,
		string(s.Spec.Type),
		ip,
		externalIP(s),
		cmp.Or(servicePorts(s.Spec.Ports), "<none>"),
		age(s.CreationTimestamp, now),
		labels.FormatLabels(s.Spec.Selector),
	}
}

// externalIP returns the address under which the Service is known outside.
func externalIP(s *corev1.Service) string {
	given := strings.Join(s.Spec.ExternalIPs, ",")
	switch s.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return cmp.Or(given, "<none>")
	case corev1.ServiceTypeExternalName:
		return s.Spec.ExternalName
	case corev1.ServiceTypeLoadBalancer:
		all := append(balancers(s), s.Spec.ExternalIPs...)
		return cmp.Or(strings.Join(all, ","), "<pending>")
	}
	return "<unknown>"
}

func balancers(s *corev1.Service) []string {
	found := sets.Set[string]{}
	for _, ingress := range s.Status.LoadBalancer.Ingress {
		if at := cmp.Or(ingress.IP, ingress.Hostname); at != "" {
			found.Insert(at)
		}
	}
	return sets.List(found)
}

// servicePorts returns the ports with, if there is one, that of the
// nodes: "80:30080/TCP".
func servicePorts(ports []corev1.ServicePort) string {
	var all []string
	for _, p := range ports {
		port := fmt.Sprint(p.Port)
		if p.NodePort > 0 {
			port += fmt.Sprintf(":%d", p.NodePort)
		}
		all = append(all, port+"/"+string(p.Protocol))
	}
	return strings.Join(all, ",")
}
