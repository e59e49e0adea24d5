package unsupported_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"reconcile/chapters/01-control-loop/unsupported"
)

// What real containers refuse, those who make it are warned of; what is refused
// there and not warned of here, the simulated runtime does.
func TestEachRuntimeSaysWhatItDoesNotDo(t *testing.T) {
	const (
		real      = "real containers of this lab do not have that"
		simulated = "the simulated runtime ignores it"
		kubelet   = "the kubelet of this lab ignores it"
		grpc      = "this lab has no gRPC, and the probe fails"
	)
	untested := unsupported.Fields()
	for _, c := range []struct{ spec, field, real, simulated string }{
		{"hostNetwork: true", "spec.hostNetwork", real, ""},
		{"hostPID: true", "spec.hostPID", real, simulated},
		{"hostIPC: true", "spec.hostIPC", real, simulated},
		{"shareProcessNamespace: true", "spec.shareProcessNamespace", real, simulated},
		{"shareProcessNamespace: false", "", "", ""},
		{"securityContext: {sysctls: [{name: net.core.somaxconn, value: '9'}]}", "spec.securityContext.sysctls", real, simulated},
		{"containers: [{}, {securityContext: {privileged: true}}]", "spec.containers[1].securityContext.privileged", real, simulated},
		{"initContainers: [{restartPolicyRules: [{action: Restart}]}]", "spec.initContainers[0].restartPolicyRules", kubelet, kubelet},
		{"containers: [{livenessProbe: {grpc: {port: 1}}}]", "spec.containers[0].livenessProbe.grpc", grpc, grpc},
		{"containers: [{readinessProbe: {grpc: {port: 1}}}]", "spec.containers[0].readinessProbe.grpc", grpc, grpc},
		{"containers: [{startupProbe: {grpc: {port: 1}}}]", "spec.containers[0].startupProbe.grpc", grpc, grpc},
		{"containers: [{startupProbe: {tcpSocket: {port: 1}}}]", "", "", ""},
	} {
		untested = slices.DeleteFunc(untested, func(end string) bool { return strings.HasSuffix(c.field, end) })
		var spec corev1.PodSpec
		require.NoError(t, yaml.UnmarshalStrict([]byte(c.spec), &spec), c.spec)
		for isReal, why := range map[bool]string{true: c.real, false: c.simulated} {
			want := ""
			if why != "" {
				want = c.field + ": " + why
			}
			err := errors.Join(unsupported.Warnings(&spec, "spec", isReal)...)
			if want == "" {
				assert.NoError(t, err, c.spec)
			} else {
				assert.EqualError(t, err, want)
			}
		}
		refused := unsupported.OfPod(&spec)
		for i := range spec.Containers {
			refused = errors.Join(refused, unsupported.OfContainer(&spec.Containers[i]))
		}
		assert.Equal(t, c.real == real, refused != nil, "%s: %v", c.spec, refused)
	}
	assert.Empty(t, untested, "no row here asks for these fields of lacks.go")
}
