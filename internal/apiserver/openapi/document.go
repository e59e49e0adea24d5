package openapi

import (
	"maps"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"reconcile/internal/apiserver/kinds"
)

// document returns the description of one group and version.
func document(gv schema.GroupVersion, all []kinds.Kind) *spec3.OpenAPI {
	schemas := newSchemas()
	schemas.addVersion(gv, all)
	paths := map[string]*spec3.Path{}
	for _, kind := range all {
		maps.Copy(paths, pathsOf(kind))
	}
	return &spec3.OpenAPI{
		Version:    "3.0.0",
		Info:       &spec.Info{InfoProps: spec.InfoProps{Title: "Kubernetes", Version: "unversioned"}},
		Paths:      &spec3.Paths{Paths: paths},
		Components: &spec3.Components{Schemas: schemas.all},
	}
}

// addVersion adds the schemas of one group and version.
func (s *schemas) addVersion(gv schema.GroupVersion, all []kinds.Kind) {
	for _, kind := range all {
		s.addKind(kind.GroupVersionKind, reflect.TypeOf(kind.New()).Elem())
		s.addList(kind.GroupVersionKind, reflect.TypeOf(kind.New()).Elem())
	}
	s.addShared(gv, all)
}

// addShared adds the schemas that go with any kind, and those of subresources.
func (s *schemas) addShared(gv schema.GroupVersion, all []kinds.Kind) {
	v1 := schema.GroupVersion{Version: "v1"}
	s.addKind(v1.WithKind("Status"), reflect.TypeFor[metav1.Status]())
	s.addKind(gv.WithKind("DeleteOptions"), reflect.TypeFor[metav1.DeleteOptions]())
	s.ref(reflect.TypeFor[metav1.Patch]())
	for _, kind := range all {
		if kind.Scale != nil {
			s.addKind(autoscalingv1.SchemeGroupVersion.WithKind("Scale"),
				reflect.TypeFor[autoscalingv1.Scale]())
		}
		for _, sub := range kind.Subresources {
			switch sub {
			case "eviction":
				s.addKind(policyv1.SchemeGroupVersion.WithKind("Eviction"),
					reflect.TypeFor[policyv1.Eviction]())
			case "binding":
				s.addKind(corev1.SchemeGroupVersion.WithKind("Binding"),
					reflect.TypeFor[corev1.Binding]())
			}
		}
	}
}
