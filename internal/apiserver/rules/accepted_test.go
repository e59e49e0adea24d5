package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

func TestWhatKubernetesTakesIsTaken(t *testing.T) {
	for name, manifest := range map[string]string{
		"a lease of which little is said": "{apiVersion: coordination.k8s.io/v1, kind: Lease, " +
			"metadata: {name: web}}",
		"a lease that never changed hands": "{apiVersion: coordination.k8s.io/v1, kind: Lease, " +
			"metadata: {name: web}, spec: {leaseTransitions: 0, leaseDurationSeconds: 1}}",
		"a set of claims and volumes": workload("StatefulSet", "selector: {matchLabels: "+
			"{app: web}}, template: {metadata: {labels: {app: web}}, spec: {volumes: "+
			"[{name: logs, emptyDir: {}}, {name: data, emptyDir: {}}], containers: "+
			"[{name: web, image: nginx, volumeMounts: [{name: data, mountPath: /a}, "+
			"{name: logs, mountPath: /b}]}]}}, volumeClaimTemplates: [{metadata: "+
			"{name: data}, spec: {accessModes: [ReadWriteOnce], resources: "+
			"{requests: {storage: 1Gi}}}}]"),
		"a set whose Pods are replaced when they are deleted": workload("StatefulSet",
			"updateStrategy: {type: OnDelete}, selector: {matchLabels: {app: web}}, "+pods),
		"all may be unavailable": workload("DaemonSet", "updateStrategy: {rollingUpdate: "+
			"{maxUnavailable: 100%}}, selector: {matchLabels: {app: web}}, "+pods),
		"a user without a password": core("Secret",
			"type: kubernetes.io/basic-auth, stringData: {username: me}"),
		"a token of somebody": "{apiVersion: v1, kind: Secret, metadata: {name: web, " +
			"annotations: {kubernetes.io/service-account.name: me}}, " +
			"type: kubernetes.io/service-account-token}",
		"a key to something": core("Secret",
			"type: kubernetes.io/ssh-auth, stringData: {ssh-privatekey: x}"),
		"an event about the cluster": core("Event", "involvedObject: {kind: Node, name: a}"),
		"an event of the newer form, in the system's namespace": "{apiVersion: v1, " +
			"kind: Event, metadata: {name: web, namespace: kube-system}, " +
			`eventTime: "2026-07-01T12:00:00.000000Z", involvedObject: {kind: Node, name: a}, ` +
			"reportingComponent: a, reportingInstance: b, action: c, reason: d}",
		"an event of the newer form, of another namespace": core("Event",
			`eventTime: "2026-07-01T12:00:00.000000Z", involvedObject: {kind: Pod, `+
				"namespace: elsewhere, name: a}, reportingComponent: a, "+
				"reportingInstance: b, action: c, reason: d"),
	} {
		assert.NoError(t, create(t, manifest), name)
	}
}

func TestHooksAndVolumesThatKubernetesTakesAreTaken(t *testing.T) {
	for name, manifest := range map[string]string{
		"a hook that asks":    oneContainer("lifecycle: {postStart: {httpGet: {port: 80}}, preStop: {exec: {command: [a]}}}"),
		"a hook that sleeps":  oneContainer("lifecycle: {preStop: {sleep: {seconds: 30}}}"),
		"a name with a space": oneContainer(`env: [{name: "A B", value: x}]`),
		"a path of two dots":  onePod("volumes: [{name: v, hostPath: {path: /x..y/...}}]"),
		"no source at all":    onePod("volumes: [{name: v}]"),
		"an address":          core("Service", "spec: {clusterIP: 10.111.0.7, ports: [{port: 80}]}"),
		"root":                oneContainer("securityContext: {runAsUser: 0}"),
	} {
		assert.NoError(t, create(t, manifest), name)
	}
}

func TestOneMebibyteIsEnough(t *testing.T) {
	for size, allowed := range map[int]bool{
		corev1.MaxSecretSize: true, corev1.MaxSecretSize + 1: false,
	} {
		store := controlloop.NewStore(kinds.Store(kinds.All()))
		data := strings.Repeat("x", size)
		_, err := store.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"a": data},
		})
		assert.Equal(t, allowed, err == nil)
		_, err = store.Create(t.Context(), &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "web"}, StringData: map[string]string{"a": data},
		})
		assert.Equal(t, allowed, err == nil)
	}
}
