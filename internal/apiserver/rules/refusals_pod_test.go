package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func onePod(spec string) string {
	return core("Pod", "spec: {containers: [{name: c, image: i}], "+spec+"}")
}

func oneContainer(rest string) string {
	return core("Pod", "spec: {containers: [{name: c, image: i, "+rest+"}]}")
}

func oneVolume(spec string) string {
	return core("PersistentVolume", "spec: {accessModes: [ReadWriteOnce], "+
		"capacity: {storage: 1Gi}, "+spec+"}")
}

// The messages are those of Kubernetes 1.37's validation.
func TestWhatKubernetesRefusesOfAPodOrItsVolumesIsRefusedInItsWords(t *testing.T) {
	const dns = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
		"and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
		"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
	const number = "must be between 0 and 2147483647, inclusive"
	for name, test := range map[string]struct {
		manifest string
		want     []string
	}{
		"a Pod's volume of two kinds": {
			onePod("volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]"),
			[]string{"spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"},
		},
		"a Pod's volume of three kinds": {
			onePod("volumes: [{name: v, configMap: {name: a}, secret: {secretName: b}, hostPath: {path: ../x}}]"),
			[]string{
				"spec.volumes[0].hostPath.path: Invalid value: \"../x\": must not contain '..'",
				"spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type",
				"spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type",
			},
		},
		"a volume of two kinds": {
			oneVolume("hostPath: {path: /x}, nfs: {server: s, path: /x}"),
			[]string{"spec.nfs: Forbidden: may not specify more than 1 volume type"},
		},
		"a Pod's path that goes back": {
			onePod("volumes: [{name: v, hostPath: {path: /x/../etc}}]"),
			[]string{"spec.volumes[0].hostPath.path: Invalid value: \"/x/../etc\": must not contain '..'"},
		},
		"a volume's path that goes back": {
			oneVolume("hostPath: {path: /x/../etc}"),
			[]string{"spec.hostPath.path: Invalid value: \"/x/../etc\": must not contain '..'"},
		},
		"a Pod's path that is none": {
			onePod(`volumes: [{name: v, hostPath: {path: ""}}]`),
			[]string{"spec.volumes[0].hostPath.path: Required value"},
		},
		"a volume's path that is none": {
			oneVolume(`hostPath: {path: ""}`),
			[]string{"spec.hostPath.path: Required value"},
		},
		"a path to a thing that there is not": {
			onePod("volumes: [{name: v, hostPath: {path: /x, type: Pipe}}]"),
			[]string{`spec.volumes[0].hostPath.type: Unsupported value: "Pipe": supported values: "", ` +
				`"BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"`},
		},
		"less than no room": {
			onePod("volumes: [{name: v, emptyDir: {sizeLimit: -1Mi}}]"),
			[]string{"spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"},
		},
		"volumes from nowhere": {
			onePod("volumes: [{name: v, persistentVolumeClaim: {}}, {name: w, configMap: {}}, {name: x, secret: {}}, " +
				"{name: y, nfs: {server: s, path: x}}]"),
			[]string{
				"spec.volumes[0].persistentVolumeClaim.claimName: Required value",
				"spec.volumes[1].configMap.name: Required value",
				"spec.volumes[2].secret.secretName: Required value",
				`spec.volumes[3].nfs.path: Invalid value: "x": must be an absolute path`,
			},
		},
		"an address that is no Service's": {
			core("Service", "spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}"),
			[]string{`spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: the provided IP ` +
				"(10.0.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12"},
		},
		"a host's name that is none": {
			onePod("hostname: Bad_Host, subdomain: -a"),
			[]string{
				`spec.hostname: Invalid value: "Bad_Host": ` + dns,
				`spec.subdomain: Invalid value: "-a": ` + dns,
			},
		},
		"a hook that does nothing": {
			oneContainer("lifecycle: {preStop: {}}"),
			[]string{"spec.containers[0].lifecycle.preStop: Required value: must specify a handler type"},
		},
		"a hook that does two things, and one that sleeps too long": {
			oneContainer("lifecycle: {postStart: {exec: {command: [a]}, sleep: {seconds: 1}}, preStop: {sleep: {seconds: 31}}}"),
			[]string{
				"spec.containers[0].lifecycle.postStart.sleep: Forbidden: may not specify more than 1 handler type",
				"spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than " +
					"terminationGracePeriodSeconds (30)",
			},
		},
		"users and groups of a container's that there cannot be": {
			oneContainer("securityContext: {runAsUser: -5, runAsGroup: -1}"),
			[]string{
				"spec.containers[0].securityContext.runAsUser: Invalid value: -5: " + number,
				"spec.containers[0].securityContext.runAsGroup: Invalid value: -1: " + number,
			},
		},
		"users and groups of a Pod's that there cannot be": {
			onePod("securityContext: {runAsUser: -5, runAsGroup: 3000000000, fsGroup: -1, supplementalGroups: [1, -1]}"),
			[]string{
				"spec.securityContext.fsGroup: Invalid value: -1: " + number,
				"spec.securityContext.runAsUser: Invalid value: -5: " + number,
				"spec.securityContext.runAsGroup: Invalid value: 3000000000: " + number,
				"spec.securityContext.supplementalGroups[1]: Invalid value: -1: " + number,
			},
		},
		"variables that no process can have": {
			oneContainer(`env: [{name: "A B="}, {value: x}, {name: C, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]`),
			[]string{
				`spec.containers[0].env[0].name: Invalid value: "A B=": a valid environment variable name must consist only of ` +
					"printable ASCII characters other than '='",
				"spec.containers[0].env[1].name: Required value",
				"spec.containers[0].env[2].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
			},
		},
		"fewer than no Pods, and half a Service": {
			core("ResourceQuota", `spec: {hard: {pods: "-1", services: 500m, cpu: 500m, requests.example.com/dongle: "1"}}`),
			[]string{
				`spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0`,
				`spec.hard[services]: Invalid value: "500m": must be an integer`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, create(t, test.manifest)))
		})
	}
}
