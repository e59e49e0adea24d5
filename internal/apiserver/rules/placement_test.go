package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	noName   = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	noValue  = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
	noDomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
	noLabel  = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)

// Like all of them, these messages are those of Kubernetes 1.37.
func TestWhatAPodMayNotSayOfItsPlaceIsRefusedInKubernetesWords(t *testing.T) {
	const (
		must       = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
		wish       = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"
		near       = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"
		far        = "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution"
		spread     = "spec.topologySpreadConstraints[0]"
		toleration = "spec.tolerations[0]"
	)
	for name, test := range map[string]struct {
		spec string
		want []string
	}{
		"a node selector that no label could match": {
			"nodeSelector: {disk: '-ssd-'}",
			[]string{`spec.nodeSelector: Invalid value: "-ssd-": ` + noValue},
		},
		"a key that no label has": {
			"nodeSelector: {'a b': ssd}",
			[]string{`spec.nodeSelector: Invalid value: "a b": ` + noName},
		},
		"node affinity without terms": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[]}}}",
			[]string{must + ": Required value: must have at least one node selector term"},
		},
		"an operator that there is not": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: Near, values: [b]}]}]}}}",
			[]string{must + `[0].matchExpressions[0].operator: Invalid value: "Near": not ` +
				"a valid selector operator"},
		},
		"In nothing": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: In}]}]}}}",
			[]string{must + "[0].matchExpressions[0].values: Required value: must be " +
				"specified when `operator` is 'In' or 'NotIn'"},
		},
		"Exists, with a value": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]}}}",
			[]string{must + "[0].matchExpressions[0].values: Forbidden: may not be " +
				"specified when `operator` is 'Exists' or 'DoesNotExist'"},
		},
		"more than two numbers": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: Gt, values: ['1', '2']}]}]}}}",
			[]string{must + "[0].matchExpressions[0].values: Required value: must be " +
				"specified single value when `operator` is 'Lt' or 'Gt'"},
		},
		"less than no number": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: Lt}]}]}}}",
			[]string{must + "[0].matchExpressions[0].values: Required value: must be " +
				"specified single value when `operator` is 'Lt' or 'Gt'"},
		},
		"an expression without a key": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{operator: Exists}]}]}}}",
			[]string{
				must + `[0].matchExpressions[0].key: Invalid value: "": name part ` +
					"must be non-empty",
				must + `[0].matchExpressions[0].key: Invalid value: "": ` + noName,
			},
		},
		"a value that no label has": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchExpressions: [{key: a, operator: In, values: [b, '-c']}]}]}}}",
			[]string{must + `[0].matchExpressions[0].values[1]: Invalid value: "-c": ` + noValue},
		},
		"a field that there is not": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchFields: [{key: spec.unschedulable, operator: In, values: " +
				"['true']}]}]}}}",
			[]string{must + `[0].matchFields[0].key: Invalid value: "spec.unschedulable": ` +
				"not a valid field selector key"},
		},
		"two names at once": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}]}}}",
			[]string{must + "[0].matchFields[0].values: Required value: must be only one " +
				"value when `operator` is 'In' or 'NotIn' for node field " + "selector"},
		},
		"a name that exists": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchFields: [{key: metadata.name, operator: Exists}]}]}}}",
			[]string{must + `[0].matchFields[0].operator: Invalid value: "Exists": not a ` +
				"valid selector operator"},
		},
		"a name that no node has": {
			"affinity: {nodeAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
				"[{matchFields: [{key: metadata.name, operator: In, values: [A_B]}]}]}}}",
			[]string{must + `[0].matchFields[0].values[0]: Invalid value: "A_B": ` + noDomain},
		},
		"a wish of no weight": {
			"affinity: {nodeAffinity: " +
				"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, " +
				"preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}",
			[]string{wish + "[0].weight: Invalid value: 0: must be in the range 1-100"},
		},
		"a wish of too much weight": {
			"affinity: {nodeAffinity: " +
				"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, " +
				"preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}",
			[]string{wish + "[0].weight: Invalid value: 101: must be in the range 1-100"},
		},
		"a wish for what no label says": {
			"affinity: {nodeAffinity: " +
				"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, " +
				"preference: {matchExpressions: [{key: a, operator: In, values: ['-c']}, " +
				"{key: a, operator: Gt}]}}]}}",
			[]string{wish + "[0].preference.matchExpressions[1].values: Required value: " +
				"must be specified single value when `operator` is 'Lt' or 'Gt'"},
		},
		"near whom, but where": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: " +
				"{matchLabels: {app: web}}}]}}",
			[]string{
				near + "[0].topologyKey: Required value: can not be empty",
				near + `[0].topologyKey: Invalid value: "": name part must be ` +
					"non-empty",
				near + `[0].topologyKey: Invalid value: "": ` + noName,
			},
		},
		"near whom, in no known way": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
				"labelSelector: {matchExpressions: [{key: app, operator: Perhaps}]}}]}}",
			[]string{near + "[0].labelSelector.matchExpressions[0].operator: Invalid " +
				`value: "Perhaps": not a valid selector operator`},
		},
		"near whom, in which namespace": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
				"namespaces: [A], namespaceSelector: {matchExpressions: [{key: app, " +
				"operator: In}]}, labelSelector: {matchLabels: {app: web}}}]}}",
			[]string{
				near + "[0].namespaceSelector.matchExpressions[0].values: Required " +
					"value: must be specified when `operator` is 'In' or 'NotIn'",
				near + `[0].namespace: Invalid value: "A": ` + noLabel,
			},
		},
		"a topology that no label names": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: 'a b', " +
				"labelSelector: {matchLabels: {app: web}}}]}}",
			[]string{near + `[0].topologyKey: Invalid value: "a b": ` + noName},
		},
		"keys of the Pod, and no selector": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
				"matchLabelKeys: [app]}]}}",
			[]string{near + "[0].matchLabelKeys: Forbidden: must not be specified when " +
				"labelSelector is not set"},
		},
		"keys that match and do not": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
				"matchLabelKeys: [a], mismatchLabelKeys: [a], labelSelector: " +
				"{matchLabels: {app: web}}}]}}",
			[]string{near + `[0].matchLabelKeys[0]: Invalid value: "a": exists in both ` +
				"matchLabelKeys and mismatchLabelKeys"},
		},
		"a key of the Pod that is none": {
			"affinity: {podAffinity: " +
				"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
				"mismatchLabelKeys: ['a b'], labelSelector: {matchLabels: {app: web}}}]}}",
			[]string{near + `[0].mismatchLabelKeys[0]: Invalid value: "a b": ` + noName},
		},
		"far from whom, without weight": {
			"affinity: {podAntiAffinity: " +
				"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, " +
				"podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: " +
				"web}}}}]}}",
			[]string{far + "[0].weight: Invalid value: 0: must be in the range 1-100"},
		},
		"far from whom, but where": {
			"affinity: {podAntiAffinity: " +
				"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, " +
				"podAffinityTerm: {labelSelector: {matchLabels: {app: web}}}}]}}",
			[]string{
				far + "[0].podAffinityTerm.topologyKey: Required value: can not be " +
					"empty",
				far + `[0].podAffinityTerm.topologyKey: Invalid value: "": name part ` +
					"must be non-empty",
				far + `[0].podAffinityTerm.topologyKey: Invalid value: "": ` + noName,
			},
		},
		"no skew": {
			"topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, " +
				"whenUnsatisfiable: DoNotSchedule}]",
			[]string{spread + ".maxSkew: Invalid value: 0: must be greater than zero"},
		},
		"no topology": {
			"topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: " +
				"DoNotSchedule}]",
			[]string{spread + ".topologyKey: Required value: can not be empty"},
		},
		"nobody knows what then": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}]",
			[]string{spread + `.whenUnsatisfiable: Unsupported value: "": supported values: ` +
				`"DoNotSchedule", "ScheduleAnyway"`},
		},
		"another way out": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: Wait}]",
			[]string{spread + `.whenUnsatisfiable: Unsupported value: "Wait": supported ` +
				`values: "DoNotSchedule", "ScheduleAnyway"`},
		},
		"the same constraint twice": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: zone, " +
				"whenUnsatisfiable: DoNotSchedule}]",
			[]string{spread + `.{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ` +
				`DoNotSchedule}"`},
		},
		"at least no domains": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: DoNotSchedule, minDomains: 0}]",
			[]string{spread + ".minDomains: Invalid value: 0: must be greater than zero"},
		},
		"at least two domains, if possible": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: ScheduleAnyway, minDomains: 2}]",
			[]string{spread + ".minDomains: Invalid value: 2: can only use minDomains if " +
				"whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"},
		},
		"nodes that are looked at sometimes": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: ScheduleAnyway, nodeTaintsPolicy: Sometimes, " +
				"nodeAffinityPolicy: Never}]",
			[]string{
				spread + `.nodeAffinityPolicy: Unsupported value: "Never": supported ` +
					`values: "Honor", "Ignore"`,
				spread + `.nodeTaintsPolicy: Unsupported value: "Sometimes": supported ` +
					`values: "Honor", "Ignore"`,
			},
		},
		"a spread of nobody knows whom": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchExpressions: " +
				"[{key: app, operator: Perhaps}]}}]",
			[]string{spread + ".labelSelector.matchExpressions[0].operator: Invalid value: " +
				`"Perhaps": not a valid selector operator`},
		},
		"a spread by keys, of nobody": {
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, " +
				"whenUnsatisfiable: ScheduleAnyway, matchLabelKeys: [app]}]",
			[]string{spread + ".matchLabelKeys: Forbidden: must not be specified when " +
				"labelSelector is not set"},
		},
		"a toleration of nothing": {
			"tolerations: [{operator: Equal, value: a}]",
			[]string{toleration +
				`.operator: Invalid value: "Equal": operator must be Exists ` +
				"when `key` is empty, which means \"match all values and all " + `keys"`},
		},
		"a toleration that says nothing": {
			"tolerations: [{}]",
			[]string{toleration +
				`.operator: Invalid value: "": operator must be Exists when ` +
				"`key` is empty, which means \"match all values and all keys\""},
		},
		"a toleration whose key is none": {
			"tolerations: [{key: a b, operator: Exists}]",
			[]string{toleration + `.key: Invalid value: "a b": ` + noName},
		},
		"a toleration of what exists, and is so": {
			"tolerations: [{key: a, operator: Exists, value: b}]",
			[]string{toleration + `.operator: Invalid value: "b": value must be empty when ` +
				"`operator` is 'Exists'"},
		},
		"a toleration of a value that is none": {
			"tolerations: [{key: a, operator: Equal, value: b c}]",
			[]string{toleration + `.operator: Invalid value: "b c": ` + noValue},
		},
		"a toleration of an unknown operator": {
			"tolerations: [{key: a, operator: In, value: b}]",
			[]string{toleration + `.operator: Unsupported value: "In": supported values: ` +
				`"Equal", "Exists"`},
		},
		"a toleration of more than": {
			"tolerations: [{key: a, operator: Gt, value: '5'}]",
			[]string{toleration + `.operator: Unsupported value: "Gt": supported values: ` +
				`"Equal", "Exists", "Lt", "Gt"`},
		},
		"a toleration of an unknown effect": {
			"tolerations: [{key: a, operator: Exists, effect: NoAdmit}]",
			[]string{toleration + `.effect: Unsupported value: "NoAdmit": supported values: ` +
				`"NoSchedule", "PreferNoSchedule", "NoExecute"`},
		},
		"a toleration for a while, of what never evicts": {
			"tolerations: [{key: a, operator: Exists, effect: NoSchedule, " +
				"tolerationSeconds: 5}]",
			[]string{toleration + `.effect: Invalid value: "NoSchedule": effect must be ` +
				"'NoExecute' when `tolerationSeconds` is set"},
		},
		"a toleration for a while, of everything": {
			"tolerations: [{operator: Exists, tolerationSeconds: 5}]",
			[]string{toleration +
				`.effect: Invalid value: "": effect must be 'NoExecute' when ` +
				"`tolerationSeconds` is set"},
		},
		"a class that cannot be": {
			"priorityClassName: A_B",
			[]string{`spec.priorityClassName: Invalid value: "A_B": ` + noDomain},
		},
		"a way to preempt that there is not": {
			"preemptionPolicy: Always",
			[]string{`spec.preemptionPolicy: Unsupported value: "Always": supported ` +
				`values: "PreemptLowerPriority", "Never"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, create(t,
				pod("containers: [{name: c, image: c}], "+test.spec))))
		})
	}
}

func TestWhatDecidesOverPlacesIsRefusedInKubernetesWords(t *testing.T) {
	for name, test := range map[string]struct {
		manifest string
		want     []string
	}{
		"a budget that says both": {
			budget("minAvailable: 1, maxUnavailable: 1, selector: {matchLabels: {app: web}}"),
			[]string{"spec: Invalid value: " +
				`{"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set`},
		},
		"a budget of less than nothing": {
			budget("minAvailable: -1"),
			[]string{"spec.minAvailable: Invalid value: -1: must be greater than or " +
				"equal to 0"},
		},
		"a budget of more than all": {
			budget("maxUnavailable: 101%"),
			[]string{`spec.maxUnavailable: Invalid value: "101%": must not be ` +
				"greater than 100%"},
		},
		"a budget that is no share": {
			budget("maxUnavailable: half"),
			[]string{`spec.maxUnavailable: Invalid value: "half": a valid percent ` +
				"string must be a numeric string followed by an ending '%' " +
				"(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"},
		},
		"a budget for nobody knows whom": {
			budget("minAvailable: 1, selector: {matchExpressions: [{key: app, operator: " +
				"Perhaps}]}"),
			[]string{"spec.selector.matchExpressions[0].operator: Invalid value: " +
				`"Perhaps": not a valid selector operator`},
		},
		"a budget for the sick": {
			budget("minAvailable: 1, unhealthyPodEvictionPolicy: Never"),
			[]string{`spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": ` +
				`supported values: "AlwaysAllow", "IfHealthyBudget"`},
		},
		"a class above all": {
			priority("web", "value: 1000000001"),
			[]string{"value: Forbidden: maximum allowed value of a user defined " +
				"priority is 1000000000"},
		},
		"a class named like the system's": {
			priority("system-web", "value: 1"),
			[]string{"metadata.name: Forbidden: priority class names with 'system-' " +
				"prefix are reserved for system use only. error: system-web is " +
				"not a known system priority class"},
		},
		"the system's class with another value": {
			priority("system-node-critical", "value: 1"),
			[]string{"metadata.name: Forbidden: priority class names with 'system-' " +
				"prefix are reserved for system use only. error: value of " +
				"system-node-critical PriorityClass must be 2000001000"},
		},
		"the system's class for everybody": {
			priority("system-cluster-critical", "value: 2000000000, globalDefault: true"),
			[]string{"metadata.name: Forbidden: priority class names with 'system-' " +
				"prefix are reserved for system use only. error: globalDefault " +
				"of system-cluster-critical PriorityClass must be false"},
		},
		"a class that preempts in another way": {
			priority("web", "value: 1, preemptionPolicy: Always"),
			[]string{`preemptionPolicy: Unsupported value: "Always": supported ` +
				`values: "PreemptLowerPriority", "Never"`},
		},
		"a taint without an effect": {
			core("Node", "spec: {taints: [{key: a}]}"),
			[]string{"metadata.taints[0].effect: Required value"},
		},
		"a taint of an unknown effect": {
			core("Node", "spec: {taints: [{key: a, effect: NoAdmit}]}"),
			[]string{`metadata.taints[0].effect: Unsupported value: "NoAdmit": ` +
				`supported values: "NoSchedule", "PreferNoSchedule", ` + `"NoExecute"`},
		},
		"a taint without a key": {
			core("Node", "spec: {taints: [{effect: NoSchedule}]}"),
			[]string{
				`metadata.taints[0].key: Invalid value: "": name part must be ` +
					"non-empty",
				`metadata.taints[0].key: Invalid value: "": ` + noName,
			},
		},
		"a taint of a value that is none": {
			core("Node", "spec: {taints: [{key: a, value: b c, effect: NoSchedule}]}"),
			[]string{`metadata.taints[0].value: Invalid value: "b c": ` + noValue},
		},
		"a taint twice": {
			core("Node", "spec: {taints: [{key: a, value: b, effect: NoSchedule}, {key: a, value: "+
				"c, effect: NoSchedule}]}"),
			[]string{"metadata.taints[1]: Duplicate value: " +
				`{"Key":"a","Value":"c","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair`},
		},
		"addresses that are none": {
			core("Node", "spec: {podCIDR: 10.244.0.0, podCIDRs: [10.244.0.0]}"),
			[]string{`spec.podCIDRs[0]: Invalid value: "10.244.0.0": must be a ` +
				"valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"},
		},
		"another port outside than inside": {
			core("Pod", "spec: {hostNetwork: true, containers: [{name: c, image: c, ports: "+
				"[{containerPort: 80, hostPort: 81}]}]}"),
			[]string{"spec.containers[0].ports[0].hostPort: Invalid value: 81: must " +
				"match `containerPort` when `hostNetwork` is true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, create(t, test.manifest)))
		})
	}
}

func TestWhatDecidesOverPlacesAndMayNotChange(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"what a class is worth": {
			priority("web", "value: 1"),
			priority("web", "value: 2, preemptionPolicy: Never"),
			[]string{
				"value: Forbidden: may not be changed in an update.",
				`preemptionPolicy: Invalid value: "Never": field is immutable`,
			},
		},
		"which addresses a node's Pods have": {
			core("Node", "spec: {podCIDR: 10.244.1.0/24, podCIDRs: [10.244.1.0/24]}"),
			core("Node", "spec: {podCIDR: 10.244.2.0/24, podCIDRs: [10.244.2.0/24]}"),
			[]string{"spec.podCIDRs: Forbidden: node updates may not change podCIDR " +
				`except from "" to valid`},
		},
		"a node loses its addresses": {
			core("Node", "spec: {podCIDR: 10.244.1.0/24, podCIDRs: [10.244.1.0/24]}"),
			core("Node", "spec: {unschedulable: true}"),
			[]string{"spec.podCIDRs: Forbidden: node updates may not change podCIDR " +
				`except from "" to valid`},
		},
		"a node gets a taint twice": {
			core("Node", "spec: {unschedulable: true}"),
			core("Node", "spec: {taints: [{key: a, value: b, effect: NoSchedule}, {key: a, value: "+
				"c, effect: NoSchedule}]}"),
			[]string{"metadata.taints[1]: Duplicate value: " +
				`{"Key":"a","Value":"c","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, change(t, test.before, test.after)))
		})
	}
}

func TestWhatMayBeSaidOfPlacesIsTaken(t *testing.T) {
	for name, manifest := range map[string]string{
		"a node of no addresses": core("Node", "spec: {podCIDR: 10.244.1.0/24}"),
		"taints of one key": core("Node", "spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: "+
			"NoExecute}]}"),
		"a wish for a value that no label has": core("Pod", "spec: {containers: [{name: c, image: c}], affinity: {nodeAffinity: "+
			"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "+
			"preference: {matchExpressions: [{key: a, operator: In, values: "+
			"['-c']}]}}]}}}"),
		"a term that says nothing": core("Pod", "spec: {containers: [{name: c, image: c}], affinity: {nodeAffinity: "+
			"{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
			"[{}]}}}}"),
		"a budget that says nothing": budget(""),
		"a budget of everything":     budget("maxUnavailable: 100%, unhealthyPodEvictionPolicy: AlwaysAllow"),
		"a negative priority":        priority("web", "value: -2147483648"),
		"the highest there is":       priority("web", "value: 1000000000, globalDefault: true"),
		"a toleration of everything": core("Pod", "spec: {containers: [{name: c, image: c}], tolerations: [{operator: "+
			"Exists}]}"),
		"a toleration for less than no time": core("Pod", "spec: {containers: [{name: c, image: c}], tolerations: [{key: a, "+
			"operator: Exists, effect: NoExecute, tolerationSeconds: -1}]}"),
		"a Pod on the node's network": core("Pod", "spec: {hostNetwork: true, containers: [{name: c, image: c, ports: "+
			"[{containerPort: 80}]}]}"),
		"two spreads over zones": core("Pod", "spec: {containers: [{name: c, image: c}], topologySpreadConstraints: "+
			"[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "+
			"minDomains: 2}, {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: "+
			"ScheduleAnyway, nodeTaintsPolicy: Honor}]}"),
	} {
		assert.NoError(t, create(t, manifest), name)
	}
}

func budget(spec string) string {
	return "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, " +
		"spec: {" + spec + "}}"
}

func priority(name, rest string) string {
	return "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: " +
		"{name: " + name + "}, " + rest + "}"
}
