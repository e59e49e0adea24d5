//lint:file-ignore SA1019 Endpoints are deprecated, and every cluster has these.

package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// furnish makes the objects that every cluster holds, unless they exist, and
// lets its machines register.
func (l *Lab) furnish(ctx context.Context) error {
	all := initial()
	if l.opts.Hardware != nil {
		all = append(all, dnsSlice())
	}
	for _, obj := range all {
		if err := l.ensure(ctx, obj); err != nil {
			return err
		}
	}
	for _, n := range l.nodes {
		if err := l.register(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// ensure creates an object unless it exists. It asks first: a second creation
// would be refused, for the address is taken.
func (l *Lab) ensure(ctx context.Context, obj controlloop.Object) error {
	kind, err := l.Store.Kinds().Of(obj)
	if err != nil {
		return err
	}
	_, err = l.Store.Get(ctx, kind.GroupVersionKind, controlloop.KeyOf(obj))
	if apierrors.IsNotFound(err) {
		_, err = l.Store.Create(ctx, obj)
	}
	return err
}

// initial returns the namespaces that Kubernetes' API server makes for itself,
// the services under which Pods find it (pkg/controlplane/controller) and
// names, and the objects that a new cluster begins with, for an older one that
// has lost them.
func initial() []controlloop.Object {
	var all []controlloop.Object
	for _, name := range []string{
		metav1.NamespaceDefault, corev1.NamespaceNodeLease,
		metav1.NamespacePublic, metav1.NamespaceSystem,
	} {
		all = append(all, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	all = append(all, apiService(), apiEndpoints(), apiSlice(), dnsService())
	return append(all, furniture()...)
}

// The API server is at these addresses: its service, and the port behind that,
// on a machine without a Node.
const (
	apiName    = "kubernetes"
	apiAddress = "172.18.0.1"
	apiPort    = 6443
)

func apiMeta(labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: apiName, Namespace: metav1.NamespaceDefault, Labels: labels,
	}
}

func apiService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: apiMeta(map[string]string{
			"component": "apiserver", "provider": "kubernetes",
		}),
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.96.0.1",
			Ports: []corev1.ServicePort{{
				Name: "https", Port: 443, TargetPort: intstr.FromInt32(apiPort),
			}},
		},
	}
}

// dnsService returns the service that Pods ask for names.
func dnsService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kube-dns", Namespace: metav1.NamespaceSystem,
			Labels: map[string]string{
				"k8s-app": "kube-dns", "kubernetes.io/cluster-service": "true",
				"kubernetes.io/name": "CoreDNS",
			},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: statefulset.ServerAddress,
			Ports: []corev1.ServicePort{
				{Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromInt32(53)},
				{Name: "dns-tcp", Port: 53, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(53)},
			},
		},
	}
}

// apiEndpoints returns the address of the API server for old clients; no
// controller is to make a slice of it.
func apiEndpoints() *corev1.Endpoints {
	return &corev1.Endpoints{
		ObjectMeta: apiMeta(map[string]string{discoveryv1.LabelSkipMirror: "true"}),
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: apiAddress}},
			Ports: []corev1.EndpointPort{{
				Name: "https", Port: apiPort, Protocol: corev1.ProtocolTCP,
			}},
		}},
	}
}

// apiSlice returns the same address for the proxies of the nodes.
func apiSlice() *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: apiMeta(map[string]string{
			discoveryv1.LabelServiceName: apiName,
		}),
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints: []discoveryv1.Endpoint{{
			Addresses:  []string{apiAddress},
			Conditions: discoveryv1.EndpointConditions{Ready: new(true)},
		}},
		Ports: []discoveryv1.EndpointPort{{
			Name: new("https"), Port: new(int32(apiPort)),
			Protocol: new(corev1.ProtocolTCP),
		}},
	}
}

// dnsSlice returns the address at which names are answered, for Pods that
// really ask there: the API server's machine.
func dnsSlice() *discoveryv1.EndpointSlice {
	slice := apiSlice()
	slice.Namespace, slice.Name = metav1.NamespaceSystem, "kube-dns"
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: slice.Name}
	slice.Ports = nil
	for _, port := range dnsService().Spec.Ports {
		slice.Ports = append(slice.Ports, discoveryv1.EndpointPort{
			Name: &port.Name, Port: &port.Port, Protocol: &port.Protocol,
		})
	}
	return slice
}
