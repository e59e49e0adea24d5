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
				New:              func() controlloop.Object { return &corev1.Endpoints{} },
				Rules:            rules.Endpoints(),
			},
			ShortNames:     []string{"ep"},
			CreateOnUpdate: true,
			Set:            columns.Endpoints,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Event"),
				Resource:         "events",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Event{} },
				Rules:            rules.Event(),
			},
			ShortNames:     []string{"ev"},
			CreateOnUpdate: true,
			Fields:         eventFields,
			Set:            columns.Event,
		},
		{
			Kind:         taught("Namespace"),
			ShortNames:   []string{"ns"},
			Subresources: []string{"finalize"},
			OneByOne:     true,
			Fields:       namespaceFields,
			Set:          columns.Namespace,
		},
		{
			Kind:       taught("Node"),
			ShortNames: []string{"no"},
			Fields:     nodeFields,
			Set:        columns.Node,
		},
		{
			Kind:       taught("Pod"),
			ShortNames: []string{"po"},
			Categories: all,
			Subresources: []string{
				"attach", "binding", "eviction", "exec", "log", "portforward",
			},
			Fields: podFields,
			Set:    columns.Pod,
		},
		{
			Kind:       taught("ReplicationController"),
			ShortNames: []string{"rc"},
			Categories: all,
			Scale:      replicationControllerScale,
			Fields:     replicationControllerFields,
			Set:        columns.ReplicationController,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Secret"),
				Resource:         "secrets",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Secret{} },
				Rules:            rules.Secret(),
			},
			Fields: secretFields,
			Set:    columns.Secret,
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
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Service"),
				Resource:         "services",
				Namespaced:       true,
				HasStatus:        true,
				New:              func() controlloop.Object { return &corev1.Service{} },
				Rules:            named(validation.NameIsDNSLabel, rules.Service()),
			},
			ShortNames:     []string{"svc"},
			Categories:     all,
			CreateOnUpdate: true,
			Fields:         serviceFields,
			Set:            columns.Service,
		},
	}
}

// ruled gives a kind rules in the place of those that it has.
func ruled(kind controlloop.Kind, rules controlloop.Rules) controlloop.Kind {
	kind.Rules = rules
	return kind
}

// named adds to rules one for names.
func named(
	name validation.ValidateNameFunc, rules controlloop.Rules,
) controlloop.Rules {
	rules.Name = name
	return rules
}
