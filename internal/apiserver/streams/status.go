package streams

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
)

// refuse answers a request with an error.
func refuse(w http.ResponseWriter, err error) {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = apierrors.NewInternalError(err)
	}
	status := known.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	if status.Code == 0 {
		status.Code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	json.NewEncoder(w).Encode(status)
}

// asKubelet answers as a kubelet does when it refuses: in plain text, which an API
// server passes on as it is. Clients put it into words of their own: error: unable to
// upgrade connection: container not found.
func asKubelet(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(code)
	io.WriteString(w, message)
}

// failed returns the Status of an error after the beginning: an error of the
// API's has one already, and means that the container could not be asked.
func failed(format string, err error) *metav1.Status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status := known.Status()
		return &status
	}
	status := apierrors.NewInternalError(fmt.Errorf(format, err)).Status()
	return &status
}

// exited returns how a command has ended, as clients expect it.
func exited(command []string, code int) *metav1.Status {
	if code == 0 {
		return &metav1.Status{Status: metav1.StatusSuccess}
	}
	code &= 0xff
	return &metav1.Status{
		Status: metav1.StatusFailure,
		Reason: remotecommand.NonZeroExitCodeReason,
		Message: fmt.Sprintf("command terminated with non-zero exit code: "+
			"error executing command %v, exit code %d", command, code),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{
			Type:    remotecommand.ExitCodeCauseType,
			Message: strconv.Itoa(code),
		}}},
	}
}
