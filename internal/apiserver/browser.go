package apiserver

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// unbrowsed keeps out the pages in a browser on this machine. A page may send
// requests to loopback like any program, and would be obeyed: writes by another
// site's page are refused.
func (s *server) unbrowsed(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			writeError(w, apierrors.NewForbidden(schema.GroupResource{}, "",
				errors.New("pages of other sites may not write")))
		}))
	return origin.Handler(next)
}
