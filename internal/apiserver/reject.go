package apiserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconcile/internal/apiserver/discovery"
	"reconcile/internal/httpserve"
)

// notServed is the answer to an unknown path under a version of a group, and
// notAllowed to what cannot be done there. Other paths are no API's.
var (
	notServed  = generic(http.StatusNotFound)
	notAllowed = generic(http.StatusMethodNotAllowed)
)

func generic(code int) error {
	return apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, false)
}

// absent returns what there is to say of a resource that Kubernetes has and this
// server has not, or nil.
func absent(at place) error {
	if at.gvr == serviceAccounts && at.subresource == "token" {
		return refusal(http.StatusNotFound, metav1.StatusReasonNotFound,
			"this lab signs no tokens")
	}
	kind, why := discovery.Absent(at.gvr)
	if kind == "" {
		return nil
	}
	return refusal(http.StatusNotFound, metav1.StatusReasonNotFound,
		fmt.Sprintf("this lab has no %s: %s", kind, why))
}

var serviceAccounts = schema.GroupVersionResource{
	Version: "v1", Resource: "serviceaccounts"}

// refusal returns an error of HTTP itself, before any object is looked at.
func refusal(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}}
}

// writeError answers with a metav1.Status, in JSON whatever was asked for.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	body, _ := json.Marshal(status)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-cache, private")
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	w.WriteHeader(int(status.Code))
	w.Write(append(body, '\n'))
}

// statusOf returns err as clients read it. An error that is not the API's is
// the server's own fault.
func statusOf(err error) metav1.Status {
	status := metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
		Reason: metav1.StatusReasonUnknown, Message: err.Error(),
	}
	if api := apierrors.APIStatus(nil); errors.As(err, &api) {
		status = api.Status()
	}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return status
}

// recovering answers with 500 when a handler panics, and goes on serving.
func (s *server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch panicked := recover(); panicked {
			case nil:
			case http.ErrAbortHandler:
				panic(panicked)
			default:
				writeError(w, failed(panicked))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// failed logs a panic, and returns the error that the client gets.
func failed(panicked any) error {
	why, stack, _ := strings.Cut(fmt.Sprint(panicked), "\n")
	log.Printf("apiserver: panic: %s\n%s", why, cmp.Or(stack, string(debug.Stack())))
	return apierrors.NewInternalError(errors.New("panic: " + why))
}

// authenticated lets only clients through that know the token, if there is one.
func (s *server) authenticated(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpserve.Bears(r, token) {
			writeError(w, apierrors.NewUnauthorized("Unauthorized"))
			return
		}
		r.Header.Del("Authorization") // no Pod behind a proxy shall read it
		next.ServeHTTP(w, r)
	})
}
