package columns

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Namespace is what a table shows of Namespaces.
var Namespace = of(
	func(n *corev1.Namespace, now time.Time) []any {
		return []any{n.Name, string(n.Status.Phase), age(n.CreationTimestamp, now)}
	},
	name,
	text("Status", "The status of the namespace"),
	created,
)

// ConfigMap is what a table shows of ConfigMaps.
var ConfigMap = of(
	func(c *corev1.ConfigMap, now time.Time) []any {
		keys := int64(len(c.Data) + len(c.BinaryData))
		return []any{c.Name, keys, age(c.CreationTimestamp, now)}
	},
	name,
	text("Data", corev1.ConfigMap{}.SwaggerDoc()["data"]),
	created,
)

// Secret is what a table shows of Secrets: how many there are, not which.
var Secret = of(
	func(s *corev1.Secret, now time.Time) []any {
		return []any{
			s.Name, string(s.Type), int64(len(s.Data)), age(s.CreationTimestamp, now),
		}
	},
	name,
	text("Type", corev1.Secret{}.SwaggerDoc()["type"]),
	text("Data", corev1.Secret{}.SwaggerDoc()["data"]),
	created,
)

// Lease is what a table shows of Leases.
var Lease = of(
	func(l *coordinationv1.Lease, now time.Time) []any {
		holder := ptr.Deref(l.Spec.HolderIdentity, "")
		return []any{l.Name, holder, age(l.CreationTimestamp, now)}
	},
	name,
	text("Holder", coordinationv1.LeaseSpec{}.SwaggerDoc()["holderIdentity"]),
	created,
)
