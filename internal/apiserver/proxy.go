package apiserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/apiserver/streams"
)

// proxy hands the request to a port of a Pod: the one that the path names, or
// one of the Service that it names.
func (s *storage) proxy(w http.ResponseWriter, r *http.Request) {
	if err := s.proxied(w, r); err != nil {
		writeError(w, err)
	}
}

func (s *storage) proxied(w http.ResponseWriter, r *http.Request) error {
	at, _ := pathOf(r.URL.Path).place()
	scheme, name, port, ok := utilnet.SplitSchemeNamePort(at.name)
	if !ok {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid %s request %q",
			strings.ToLower(s.gvk().Kind), at.name))
	}
	if s.gvk() == rollingupdate.ServiceKind {
		var err error
		if name, port, err = s.endpoint(r.Context(), at.name, name, port); err != nil {
			return err
		}
	}
	pod, err := s.runningPod(r.Context(), name, at.subresource)
	if err != nil {
		return err
	}
	return streams.ServeProxy(w, r, pod, s.containers,
		streams.Location{Scheme: scheme, Port: port, Path: at.below})
}

// endpoint returns a Pod behind the Service that the path names, and the port
// of it that is behind one of the Service's, named or numbered (Kubernetes:
// pkg/registry/core/service/storage, ResourceLocation).
func (s *storage) endpoint(
	ctx context.Context, asked, name, port string,
) (pod, target string, err error) {
	none := apierrors.NewServiceUnavailable(fmt.Sprintf(
		"no endpoints available for service %q", asked))
	obj, err := s.store.Get(ctx, s.gvk(), s.key(ctx, name))
	if apierrors.IsNotFound(err) {
		return "", "", none
	}
	if err != nil {
		return "", "", err
	}
	if port, err = nameOf(obj.(*corev1.Service), port); err != nil {
		return "", "", err
	}
	list, err := s.store.List(ctx, rollingupdate.EndpointSliceKind,
		controlloop.ListOptions{
			Namespace: obj.GetNamespace(),
			Labels:    labels.Set{discoveryv1.LabelServiceName: name}.AsSelector(),
		})
	if err != nil {
		return "", "", err
	}
	var found []endpoint
	for _, obj := range list.Items {
		found = append(found, ready(obj.(*discoveryv1.EndpointSlice), port)...)
	}
	if len(found) == 0 {
		return "", "", none
	}
	one := found[rand.IntN(len(found))]
	return one.pod, one.port, nil
}

// nameOf returns the name of a port of a Service that may be given by its
// number.
func nameOf(service *corev1.Service, port string) (string, error) {
	number, err := strconv.ParseInt(port, 10, 64)
	if err != nil {
		return port, nil
	}
	for _, p := range service.Spec.Ports {
		if int64(p.Port) == number {
			return p.Name, nil
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf(
		"no service port %d found for service %q", number, service.Name))
}

type endpoint struct{ pod, port string }

// ready returns the ready Pods of a slice, at a port of that name.
func ready(slice *discoveryv1.EndpointSlice, port string) (all []endpoint) {
	for _, p := range slice.Ports {
		if p.Name == nil || *p.Name != port || p.Port == nil {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.TargetRef != nil && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
				all = append(all, endpoint{e.TargetRef.Name, strconv.Itoa(int(*p.Port))})
			}
		}
	}
	return all
}
