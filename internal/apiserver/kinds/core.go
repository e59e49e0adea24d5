package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/rules"
)

// core are the kinds of core/v1, but for those of storage.
func core() []Kind {
	v1 := corev1.SchemeGroupVersion
	return []Kind{
		{
			Kind:       ruled(taught("ConfigMap"), rules.ConfigMap()),
			ShortNames: []string{"cm"},
			Set:        columns.ConfigMap,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Endpoints"),
				Resource:         "endpoints",
				Namespaced:       true,
				//lint:ignore SA1019 deprecated, and people ask for them still
				New:   func() controlloop.Object { return &corev1.Endpoints{} },
				Rules: rules.Endpoints(),
			},
			ShortNames:     []string{"ep"},
			CreateOnUpdate: true,
			Set:            columns.Endpoints,
		},
		{
			Kind: selectable(controlloop.Kind{
				GroupVersionKind: v1.WithKind("Event"),
				Resource:         "events",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Event{} },
				Rules:            rules.Event(),
			}, eventFields),
			ShortNames:     []string{"ev"},
			CreateOnUpdate: true,
			Set:            columns.Event,
		},
		{
			Kind:         selectable(taught("Namespace"), namespaceFields),
			ShortNames:   []string{"ns"},
			Subresources: []string{"finalize"},
			OneByOne:     true,
			Set:          columns.Namespace,
		},
		{
			Kind:       selectable(taught("Node"), nodeFields),
			ShortNames: []string{"no"},
			Set:        columns.Node,
		},
		{
			Kind:       selectable(taught("Pod"), podFields),
			ShortNames: []string{"po"},
			Categories: all,
			Subresources: []string{
				"attach", "binding", "eviction", "exec", "log", "portforward",
			},
			Set: columns.Pod,
		},
		{
			Kind:       selectable(taught("ReplicationController"), replicationControllerFields),
			ShortNames: []string{"rc"},
			Categories: all,
			Scale:      replicationControllerScale,
			Set:        columns.ReplicationController,
		},
		{
			Kind: selectable(controlloop.Kind{
				GroupVersionKind: v1.WithKind("Secret"),
				Resource:         "secrets",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Secret{} },
				Rules:            rules.Secret(),
			}, secretFields),
			Set: columns.Secret,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("ServiceAccount"),
				Resource:         "serviceaccounts",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.ServiceAccount{} },
			},
			ShortNames: []string{"sa"},
			Set:        columns.ServiceAccount,
		},
		{
			Kind: selectable(ruled(taught("Service"),
				named(validation.NameIsDNSLabel, rules.Service())), serviceFields),
			ShortNames:     []string{"svc"},
			Categories:     all,
			CreateOnUpdate: true,
			Set:            columns.Service,
		},
	}
}

// named adds to rules one for names.
func named(
	name validation.ValidateNameFunc, rules controlloop.Rules,
) controlloop.Rules {
	rules.Name = name
	return rules
}
