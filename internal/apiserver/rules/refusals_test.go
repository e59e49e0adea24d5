package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// causes returns what the API says is wrong with a manifest, field by field.
func causes(t *testing.T, err error) []string {
	t.Helper()
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status, "nobody refused it")
	require.True(t, apierrors.IsInvalid(err), err)
	var all []string
	for _, cause := range status.Status().Details.Causes {
		all = append(all, cause.Field+": "+cause.Message)
	}
	return all
}

func create(t *testing.T, manifest string) error {
	t.Helper()
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	_, err := store.Create(t.Context(), decode(t, manifest))
	return err
}

const pods = `template: {metadata: {labels: {app: web}}, ` +
	`spec: {containers: [{name: web, image: nginx}]}}`

func workload(kind, spec string) string {
	return "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: web}, spec: {" +
		spec + "}}"
}

func core(kind, rest string) string {
	return "{apiVersion: v1, kind: " + kind + ", metadata: {name: web}, " + rest + "}"
}

// The messages are those of Kubernetes 1.37, which was given the same objects.
func TestWhatKubernetesRefusesOfAWorkloadIsRefusedInItsWords(t *testing.T) {
	const web = "selector: {matchLabels: {app: web}}, " + pods
	const db = "selector: {matchLabels: {app: db}}, " + pods
	const mismatch = "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: " +
		"`selector` does not match template `labels`"
	for name, test := range map[string]struct {
		manifest string
		want     []string
	}{
		"bounds that leave no room": {
			workload("Deployment", "strategy: {rollingUpdate: "+
				"{maxSurge: 0, maxUnavailable: 0%}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: " +
				"\"0%\": may not be 0 when `maxSurge` is 0"},
		},
		"more unavailable than there are": {
			workload("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 101%}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: " +
				`"101%": must not be greater than 100%`},
		},
		"a bound that is no percentage": {
			workload("Deployment", "strategy: {rollingUpdate: {maxSurge: half}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxSurge: Invalid value: " +
				`"half": a valid percent string must be a numeric string followed by ` +
				`an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`},
		},
		"a negative bound": {
			workload("Deployment", "strategy: {rollingUpdate: {maxSurge: -1}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: " +
				"must be greater than or equal to 0"},
		},
		"a set without a selector": {
			workload("StatefulSet", pods),
			[]string{"spec.selector: Required value", mismatch},
		},
		"a set that selects everything": {
			workload("StatefulSet", "selector: {}, "+pods),
			[]string{"spec.selector: Invalid value: {}: " +
				"empty selector is invalid for statefulset"},
		},
		"a set whose Pods are not its own": {
			workload("StatefulSet", db), []string{mismatch},
		},
		"a set of unknown manners": {
			workload("StatefulSet", "podManagementPolicy: Any, updateStrategy: "+
				"{type: Recreate}, persistentVolumeClaimRetentionPolicy: "+
				"{whenScaled: Keep, whenDeleted: Drop}, "+web),
			[]string{
				`spec.podManagementPolicy: Invalid value: "Any": ` +
					"must be 'OrderedReady' or 'Parallel'",
				`spec.updateStrategy: Invalid value: {"Type":"Recreate",` +
					`"RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
				"spec.persistentVolumeClaimRetentionPolicy.whenDeleted: " +
					`Unsupported value: "Drop": supported values: "Retain", "Delete"`,
				"spec.persistentVolumeClaimRetentionPolicy.whenScaled: " +
					`Unsupported value: "Keep": supported values: "Retain", "Delete"`,
			},
		},
		"a partition without a rolling update": {
			workload("StatefulSet", "updateStrategy: {type: OnDelete, rollingUpdate: "+
				"{partition: 1}}, "+web),
			[]string{`spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,` +
				`"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`},
		},
		"a set of which nothing may be missing": {
			workload("StatefulSet", "updateStrategy: {rollingUpdate: "+
				"{maxUnavailable: 0, partition: -1}, type: RollingUpdate}, "+web),
			[]string{
				"spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: " +
					"must be greater than or equal to 0",
				"spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: " +
					"cannot be 0",
			},
		},
		"a set of which fewer than none may be missing": {
			workload("StatefulSet", "updateStrategy: {rollingUpdate: "+
				"{maxUnavailable: -1}, type: RollingUpdate}, "+web),
			[]string{"spec.updateStrategy.rollingUpdate.maxUnavailable: " +
				"Invalid value: -1: must be greater than or equal to 0"},
		},
		"a set whose claim asks for nothing": {
			workload("StatefulSet", "volumeClaimTemplates: "+
				"[{metadata: {name: data}, spec: {}}], "+web),
			[]string{
				"spec.volumeClaimTemplates[0].spec.accessModes: Required value: " +
					"at least 1 access mode is required",
				"spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
			},
		},
		"a set with fewer than none": {
			workload("StatefulSet", "replicas: -1, minReadySeconds: -1, "+
				"ordinals: {start: -1}, serviceName: A.b, "+web),
			[]string{
				"spec.replicas: Invalid value: -1: must be greater than or equal to 0",
				"spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
				"spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
				`spec.serviceName: Invalid value: "A.b": a lowercase RFC 1123 label must ` +
					"consist of lower case alphanumeric characters or '-', and must start " +
					"and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
					"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
			},
		},
		"a daemon of which both or none come first": {
			workload("DaemonSet", "updateStrategy: {rollingUpdate: "+
				"{maxSurge: 1}}, "+web),
			[]string{"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: " +
				"may not be set when maxUnavailable is non-zero"},
		},
		"a daemon that cannot move": {
			workload("DaemonSet", "updateStrategy: {rollingUpdate: "+
				"{maxUnavailable: 0}}, "+web),
			[]string{"spec.updateStrategy.rollingUpdate.maxUnavailable: " +
				"Required value: cannot be 0 when maxSurge is 0"},
		},
		"a daemon of an unknown strategy": {
			workload("DaemonSet", "updateStrategy: {type: Recreate}, "+web),
			[]string{`spec.updateStrategy: Unsupported value: {"Type":"Recreate",` +
				`"RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"`},
		},
		"a daemon that would end": {
			workload("DaemonSet", "selector: {matchLabels: {app: web}}, template: "+
				"{metadata: {labels: {app: web}}, spec: {restartPolicy: OnFailure, "+
				"activeDeadlineSeconds: 1, containers: [{name: web, image: nginx}]}}"),
			[]string{
				`spec.template.spec.restartPolicy: Unsupported value: "OnFailure": ` +
					`supported values: "Always"`,
				"spec.template.spec.activeDeadlineSeconds: Forbidden: " +
					"activeDeadlineSeconds in DaemonSet is not Supported",
			},
		},
		"a daemon without a selector": {
			workload("DaemonSet", "minReadySeconds: -1, "+pods),
			[]string{mismatch, "spec.minReadySeconds: Invalid value: -1: " +
				"must be greater than or equal to 0"},
		},
		"a daemon that selects everything": {
			workload("DaemonSet", "selector: {}, "+pods),
			[]string{"spec.selector: Invalid value: {}: " +
				"empty selector is invalid for daemonset"},
		},
		"a daemon of too great a share": {
			workload("DaemonSet", "revisionHistoryLimit: -1, updateStrategy: "+
				"{rollingUpdate: {maxUnavailable: 0, maxSurge: 101%}}, "+web),
			[]string{
				"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: " +
					`"101%": must not be greater than 100%`,
				"spec.revisionHistoryLimit: Invalid value: -1: " +
					"must be greater than or equal to 0",
			},
		},
		"a set that would end": {
			workload("StatefulSet", "selector: {matchLabels: {app: web}}, template: "+
				"{metadata: {labels: {app: web}}, spec: {restartPolicy: Never, "+
				"activeDeadlineSeconds: 1, containers: [{name: web, image: nginx}]}}"),
			[]string{
				`spec.template.spec.restartPolicy: Unsupported value: "Never": ` +
					`supported values: "Always"`,
				"spec.template.spec.activeDeadlineSeconds: Forbidden: " +
					"activeDeadlineSeconds in StatefulSet is not Supported",
			},
		},
		"a set that selects in no known way": {
			workload("StatefulSet", "selector: {matchExpressions: "+
				"[{key: app, operator: Perhaps}]}, "+pods),
			[]string{
				`spec.selector.matchExpressions[0].operator: Invalid value: "Perhaps": ` +
					"not a valid selector operator",
				`spec.selector: Invalid value: {"matchExpressions":[{"key":"app",` +
					`"operator":"Perhaps"}]}`,
			},
		},
		"a set that mounts what no claim brings": {
			workload("StatefulSet", "selector: {matchLabels: {app: web}}, template: "+
				"{metadata: {labels: {app: web}}, spec: {containers: [{name: web, "+
				"image: nginx, volumeMounts: [{name: data, mountPath: /a}, "+
				"{name: logs, mountPath: /b}]}]}}, volumeClaimTemplates: [{metadata: "+
				"{name: data}, spec: {accessModes: [ReadWriteOnce], resources: "+
				"{requests: {storage: 1Gi}}}}]"),
			[]string{"spec.template.spec.containers[0].volumeMounts[1].name: " +
				`Not found: "logs"`},
		},
		"a revision that is no object": {
			"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, data: [1]}",
			[]string{"data: Required value: data must be a valid JSON object"},
		},
		"a daemon whose Pods are not its own": {
			workload("DaemonSet", db), []string{mismatch},
		},
		"a daemon that selects in no known way": {
			workload("DaemonSet", "selector: {matchExpressions: "+
				"[{key: app, operator: Perhaps}]}, "+pods),
			[]string{`spec.selector.matchExpressions[0].operator: Invalid value: ` +
				`"Perhaps": not a valid selector operator`},
		},
		"a revision of nothing": {
			"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, " +
				"revision: -1}",
			[]string{
				"revision: Invalid value: -1: must be greater than or equal to 0",
				"data: Required value: data is mandatory",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, create(t, test.manifest)))
		})
	}
}
