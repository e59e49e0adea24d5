package kinds

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
)

// core returns the kinds of core/v1, but for those of storage.
func core() []Kind {
	v1 := corev1.SchemeGroupVersion
	return []Kind{
		{
			Kind:       taught(v1.WithKind("ConfigMap")),
			ShortNames: []string{"cm"},
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Endpoints"),
				Resource:         "endpoints",
				Namespaced:       true,
				//lint:ignore SA1019 deprecated, and people ask for them still
				New: func() controlloop.Object { return &corev1.Endpoints{} },
			},
			ShortNames:     []string{"ep"},
			CreateOnUpdate: true,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Event"),
				Resource:         "events",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Event{} },
				Rules:            controlloop.Rules{Fields: eventFields},
			},
			ShortNames:     []string{"ev"},
			CreateOnUpdate: true,
		},
		{
			Kind:         taught(v1.WithKind("Namespace"), namespaceFields),
			ShortNames:   []string{"ns"},
			Subresources: []string{"finalize"},
			OneByOne:     true,
		},
		{
			Kind:       taught(controlloop.NodeKind, nodeFields),
			ShortNames: []string{"no"},
		},
		{
			Kind:       taught(controlloop.PodKind, podFields),
			ShortNames: []string{"po"},
			Categories: all,
			Subresources: []string{
				"attach", "binding", "ephemeralcontainers", "eviction", "exec", "log",
				"portforward", "proxy",
			},
		},
		{
			Kind:       taught(controlloop.RCKind, replicationControllerFields),
			ShortNames: []string{"rc"},
			Categories: all,
			Scale:      replicationControllerScale,
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Secret"),
				Resource:         "secrets",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Secret{} },
				Rules:            controlloop.Rules{Fields: secretFields},
			},
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("ServiceAccount"),
				Resource:         "serviceaccounts",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.ServiceAccount{} },
			},
			ShortNames: []string{"sa"},
		},
		{
			Kind:           taught(rollingupdate.ServiceKind, serviceFields),
			ShortNames:     []string{"svc"},
			Categories:     all,
			CreateOnUpdate: true,
			Subresources:   []string{"proxy"},
		},
	}
}
