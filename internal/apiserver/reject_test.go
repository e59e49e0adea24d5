package apiserver_test

import (
	"io"
	"log"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
)

func TestWhoDoesNotKnowTheTokenIsLeftOut(t *testing.T) {
	a := newAPIWith(t, apiserver.Options{Token: "secret"})
	for name, authorization := range map[string]string{
		"nothing": "", "another": "Bearer guess", "no bearer": "secret2",
		"a part": "Bearer secre", "more": "Bearer secrets",
	} {
		t.Run(name, func(t *testing.T) {
			got := (&api{t, a.store, a.handler}).send(request{
				method: "GET", path: pods,
				header: http.Header{"Authorization": {authorization}},
			})
			assert.Equal(t, http.StatusUnauthorized, got.code)
			assert.Equal(t, metav1.StatusReasonUnauthorized, got.refusal().Reason)
		})
	}
	got := a.send(request{method: "GET", path: pods,
		header: http.Header{"Authorization": {"Bearer secret"}}})
	assert.Equal(t, http.StatusOK, got.code, got.body)
}

// A namespace on its way out takes nothing new.
func TestNothingIsMadeInANamespaceThatEnds(t *testing.T) {
	a := newAPI(t)
	require.Equal(t, 200, a.delete("/api/v1/namespaces/other", nil).code)
	got := a.post("/api/v1/namespaces/other/pods", aPod("a"))
	assert.Equal(t, http.StatusForbidden, got.code)
	status := got.refusal()
	assert.Equal(t, `pods "a" is forbidden: unable to create new content in `+
		`namespace other because it is being terminated`, status.Message)
	assert.Equal(t, []metav1.StatusCause{{
		Type:    corev1.NamespaceTerminatingCause,
		Message: "namespace other is being terminated",
		Field:   "metadata.namespace",
	}}, status.Details.Causes)
}

func TestAPanicIsAnsweredAndTheServerGoesOn(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	a := newAPI(t, controlloop.OnWrite(func(w controlloop.Write) {
		if w.Object.GetName() == "boom" {
			panic("too loud")
		}
	}))
	got := a.post(pods, aPod("boom"))
	assert.Equal(t, http.StatusInternalServerError, got.code)
	assert.Equal(t, "Internal error occurred: panic: too loud", got.refusal().Message)
	assert.Equal(t, http.StatusCreated, a.post(pods, aPod("quiet")).code)
}
