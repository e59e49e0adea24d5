package streams_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func twoContainers(pod *corev1.Pod) {
	pod.Spec.InitContainers = []corev1.Container{{Name: "init"}}
	pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "side"})
}

func unscheduled(pod *corev1.Pod) { pod.Spec.NodeName = "" }

func waiting(reason string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses[0].State = corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason},
		}
	}
}

func unreported(pod *corev1.Pod) { pod.Status = corev1.PodStatus{} }

func TestWhatCannotBeIsRefusedInKubernetesWords(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		pod     func(*corev1.Pod)
		code    int
		message string
	}{
		"which container": {"log", twoContainers, 400,
			"a container name must be specified for pod web, " +
				"choose one of: [init main side]"},
		"which container to run in": {"exec?stdout=true&command=ls", twoContainers, 400,
			"a container name must be specified for pod web, " +
				"choose one of: [init main side]"},
		"unknown container": {"log?container=nope", nil, 400,
			"container nope is not valid for pod web"},
		"no node": {"exec?stdout=true&command=ls", unscheduled, 400,
			"pod web does not have a host assigned"},
		"no node to forward to": {"portforward", unscheduled, 400,
			"pod web does not have a host assigned"},
		"no command": {"exec?stdout=true", nil, 400,
			"you must specify at least 1 command for the container"},
		"no streams": {"exec?command=ls", nil, 400,
			"you must specify at least 1 of stdin, stdout, stderr"},
		"false is not true": {"exec?command=ls&stdout=false&stderr=0", nil, 400,
			"you must specify at least 1 of stdin, stdout, stderr"},
		"no previous": {"log?previous=true", nil, 400,
			`previous terminated container "main" in pod "web" not found`},
		"creating": {"log", waiting("ContainerCreating"), 400,
			`container "main" in pod "web" is waiting to start: ContainerCreating`},
		"no image": {"log", waiting("ErrImagePull"), 400,
			`container "main" in pod "web" is waiting to start: image can't be pulled`},
		"still no image": {"log", waiting("ImagePullBackOff"), 400,
			`container "main" in pod "web" is waiting to start: ` +
				"trying and failing to pull image"},
		"not reported yet": {"log", unreported, 400,
			`container "main" in pod "web" is not available`},
		"negative lines": {"log?tailLines=-1", nil, 422,
			`PodLogOptions "web" is invalid: tailLines: Invalid value: -1: ` +
				"must be greater than or equal to 0"},
		"no bytes": {"log?limitBytes=0", nil, 422,
			`PodLogOptions "web" is invalid: limitBytes: Invalid value: 0: ` +
				"must be greater than 0"},
		"since when": {"log?sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z", nil, 422,
			`PodLogOptions "web" is invalid: []: Forbidden: at most one of ` +
				"`sinceTime` or `sinceSeconds` may be specified"},
		"since never": {"log?sinceSeconds=0", nil, 422,
			`PodLogOptions "web" is invalid: sinceSeconds: Invalid value: 0: ` +
				"must be greater than 0"},
		"negative lines of what is nowhere yet": {"log?tailLines=-1", unscheduled, 422,
			`PodLogOptions "web" is invalid: tailLines: Invalid value: -1: ` +
				"must be greater than or equal to 0"},
		"no such stream": {"log?stream=stdout", nil, 422,
			`PodLogOptions "web" is invalid: stream: Unsupported value: "stdout": ` +
				`supported values: "All", "Stderr", "Stdout"`},
		"last lines of a stream": {"log?stream=Stdout&tailLines=1", nil, 422,
			`PodLogOptions "web" is invalid: []: Forbidden: ` +
				"`tailLines` and specific `stream` are mutually exclusive for now"},
		"not a number": {"log?tailLines=x", nil, 400,
			`strconv.ParseInt: parsing "x": invalid syntax`},
		"not an upgrade": {"exec?stdout=true&command=ls", nil, 400,
			"Upgrade request required"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := web()
			if c.pod != nil {
				c.pod(pod)
			}
			status := refusal(t, pod, httptest.NewRequest("GET",
				"/api/v1/namespaces/default/pods/web/"+c.request, nil))
			assert.Equal(t, c.message, status.Message)
			assert.EqualValues(t, c.code, status.Code)
		})
	}
}

// refusal returns the Status with which a request is answered.
func refusal(t *testing.T, pod *corev1.Pod, r *http.Request) metav1.Status {
	t.Helper()
	w := httptest.NewRecorder()
	handler(pod, containers{}).ServeHTTP(w, r)
	var status metav1.Status
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status), w.Body.String())
	assert.Equal(t, "Status", status.Kind)
	assert.Equal(t, "v1", status.APIVersion)
	assert.Equal(t, metav1.StatusFailure, status.Status)
	assert.EqualValues(t, w.Code, status.Code)
	return status
}

func TestWhatDoesNotRunIsRefusedAsAKubeletDoes(t *testing.T) {
	for request, message := range map[string]string{
		"exec?stdout=true&command=ls": `container not found ("main")`,
		"attach?stdout=true":          "container main not found in pod web_default",
	} {
		pod := web()
		waiting("CrashLoopBackOff")(pod)
		w := httptest.NewRecorder()
		handler(pod, containers{}).ServeHTTP(w, httptest.NewRequest("GET",
			"/api/v1/namespaces/default/pods/web/"+request, nil))
		assert.Equal(t, http.StatusInternalServerError, w.Code)
		assert.Equal(t, "text/plain", w.Header().Get("Content-Type"))
		assert.Equal(t, message, w.Body.String())
	}
}

func TestSPDYIsRefusedWithAReason(t *testing.T) {
	for _, subresource := range []string{
		"exec?stdout=true&command=ls", "attach?stdout=true",
	} {
		r := httptest.NewRequest("POST",
			"/api/v1/namespaces/default/pods/web/"+subresource, nil)
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "SPDY/3.1")
		status := refusal(t, web(), r)
		assert.EqualValues(t, http.StatusBadRequest, status.Code)
		assert.Equal(t, "SPDY/3.1 is not served: streams are, over WebSocket "+
			"(kubectl 1.30 or newer)", status.Message)
	}
}

func TestUnknownSubprotocolsAreRefused(t *testing.T) {
	r := httptest.NewRequest("GET",
		"/api/v1/namespaces/default/pods/web/exec?stdout=true&command=ls", nil)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-Websocket-Protocol", "v9.channel.k8s.io")
	status := refusal(t, web(), r)
	assert.EqualValues(t, http.StatusBadRequest, status.Code)
	assert.True(t, strings.HasPrefix(status.Message,
		"requested protocol(s) are not supported: [v9.channel.k8s.io]"))
}
