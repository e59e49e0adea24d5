package kinds

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/apiserver/rules"
)

// core returns the kinds of core/v1, but for those of storage.
func core() []Kind {
	v1 := corev1.SchemeGroupVersion
	return []Kind{
		{
			Kind:       beyond(v1.WithKind("ConfigMap"), rules.ConfigMap()),
			ShortNames: []string{"cm"},
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
		},
		{
			Kind: controlloop.Kind{
				GroupVersionKind: v1.WithKind("Event"),
				Resource:         "events",
				Namespaced:       true,
				New:              func() controlloop.Object { return &corev1.Event{} },
				Rules:            rules.Event().And(selectable(eventFields)),
			},
			ShortNames:     []string{"ev"},
			CreateOnUpdate: true,
		},
		{
			Kind:         beyond(v1.WithKind("Namespace"), selectable(namespaceFields)),
			ShortNames:   []string{"ns"},
			Subresources: []string{"finalize"},
			OneByOne:     true,
		},
		{
			Kind:       beyond(controlloop.NodeKind, rules.Node().And(selectable(nodeFields))),
			ShortNames: []string{"no"},
		},
		{
			Kind:       beyond(controlloop.PodKind, rules.Pod().And(selectable(podFields))),
			ShortNames: []string{"po"},
			Categories: all,
			Subresources: []string{
				"attach", "binding", "ephemeralcontainers", "eviction", "exec", "log",
				"portforward", "proxy",
			},
		},
		{
			Kind: beyond(controlloop.RCKind, rules.ReplicationController().
				And(selectable(replicationControllerFields))),
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
				Rules:            rules.Secret().And(selectable(secretFields)),
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
			Kind: beyond(rollingupdate.ServiceKind,
				rules.Service().And(selectable(serviceFields))),
			ShortNames:     []string{"svc"},
			Categories:     all,
			CreateOnUpdate: true,
			Subresources:   []string{"proxy"},
		},
	}
}
