package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/columns"
)

func TestRowsOfKindsWithLittleToShow(t *testing.T) {
	assert.Equal(t, []any{"web", "Terminating", "5m"}, cells(columns.Namespace,
		&corev1.Namespace{ObjectMeta: web, Status: corev1.NamespaceStatus{
			Phase: corev1.NamespaceTerminating,
		}}))
	assert.Equal(t, []any{"web", int64(3), "5m"}, cells(columns.ConfigMap,
		&corev1.ConfigMap{
			ObjectMeta: web, Data: map[string]string{"a": "", "b": ""},
			BinaryData: map[string][]byte{"c": nil},
		}))
	assert.Equal(t, []any{"web", "Opaque", int64(1), "5m"}, cells(columns.Secret,
		&corev1.Secret{
			ObjectMeta: web, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"a": nil},
		}))
	assert.Equal(t, []any{"web", "5m"}, cells(columns.Plain,
		&corev1.ServiceAccount{ObjectMeta: web}))
	assert.Equal(t, []any{"web", "", "5m"}, cells(columns.Lease,
		&coordinationv1.Lease{ObjectMeta: web}))
	assert.Equal(t, []any{"web", "node-1", "5m"}, cells(columns.Lease,
		&coordinationv1.Lease{ObjectMeta: web, Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("node-1"),
		}}))
}
