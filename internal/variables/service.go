package variables

import (
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var service = corev1.SchemeGroupVersion.WithKind("Service")

// master is the Service whose variables all containers have (Kubernetes:
// pkg/kubelet/kubelet_pods.go, masterServices).
var master = controlloop.Key{Namespace: metav1.NamespaceDefault, Name: "kubernetes"}

// services returns the variables of the Services that the Pod is told of: those
// of its namespace that have an address by now, unless it wants no links, and
// the API server's (Kubernetes: pkg/kubelet/kubelet_pods.go, getServiceEnvVarMap).
func (r resolver) services() (map[string]string, error) {
	vars := map[string]string{}
	api, err := r.client.Get(r.ctx, service, master)
	switch {
	case meta.IsNoMatchError(err): // a cluster without Services
		return nil, nil
	case err == nil:
		maps.Copy(vars, variablesOf(api.(*corev1.Service)))
	case !apierrors.IsNotFound(err):
		return nil, err
	}
	if links := r.pod.Spec.EnableServiceLinks; links != nil && !*links {
		return vars, nil
	}
	list, err := r.client.List(
		r.ctx, service, controlloop.ListOptions{Namespace: r.pod.Namespace})
	for _, obj := range list.Items {
		maps.Copy(vars, variablesOf(obj.(*corev1.Service)))
	}
	return vars, err
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
