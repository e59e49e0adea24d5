package variables

import (
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// master is the Service whose variables all containers have (Kubernetes:
// pkg/kubelet/kubelet_pods.go, masterServices).
const master = "kubernetes"

// Lister returns the Services of a namespace. As a cache does, it never fails.
type Lister func(namespace string) []*corev1.Service

// WithServices returns a source that also tells containers where Services are.
func (s Source) WithServices(of Lister) Source {
	s.services = of
	return s
}

// links returns the variables of the Services that a Pod is told of: those of
// its namespace that have an address by now, unless it wants no links, and the
// API server's (Kubernetes: pkg/kubelet/kubelet_pods.go, getServiceEnvVarMap).
func (s Source) links(pod *corev1.Pod) map[string]string {
	vars := map[string]string{}
	if s.services == nil {
		return vars
	}
	for _, of := range s.services(metav1.NamespaceDefault) {
		if of.Name == master {
			maps.Copy(vars, variablesOf(of))
		}
	}
	if ptr.Deref(pod.Spec.EnableServiceLinks, true) {
		for _, of := range s.services(pod.Namespace) {
			maps.Copy(vars, variablesOf(of))
		}
	}
	return vars
}

// variablesOf returns what containers are told of a Service: of one that has no
// address, nothing (Kubernetes: pkg/kubelet/envvars/envvars.go).
func variablesOf(s *corev1.Service) map[string]string {
	ip := s.Spec.ClusterIP
	if ip == "" || ip == corev1.ClusterIPNone {
		return nil
	}
	prefix, first := inVariable(s.Name), s.Spec.Ports[0]
	vars := map[string]string{
		prefix + "_SERVICE_HOST": ip,
		prefix + "_SERVICE_PORT": strconv.Itoa(int(first.Port)),
		prefix + "_PORT":         urlOf(ip, first),
	}
	for _, port := range s.Spec.Ports {
		number := strconv.Itoa(int(port.Port))
		if port.Name != "" {
			vars[prefix+"_SERVICE_PORT_"+inVariable(port.Name)] = number
		}
		of := fmt.Sprintf("%s_PORT_%s_%s", prefix, number, port.Protocol)
		vars[of] = urlOf(ip, port)
		vars[of+"_PROTO"] = strings.ToLower(string(port.Protocol))
		vars[of+"_PORT"] = number
		vars[of+"_ADDR"] = ip
	}
	return vars
}

func urlOf(ip string, port corev1.ServicePort) string {
	return strings.ToLower(string(port.Protocol)) + "://" +
		net.JoinHostPort(ip, strconv.Itoa(int(port.Port)))
}

// inVariable returns a name as a part of a variable's.
func inVariable(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
