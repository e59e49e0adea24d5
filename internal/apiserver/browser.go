package apiserver

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// unbrowsed keeps pages out that somebody reads in a browser on this machine. A
// page may send requests to loopback like any program, and would be obeyed:
// what another site's page writes is refused, and, where there is no token that
// it would have to know, so is all that comes under a name which is not ours.
// Such a name can be made to point here after the page was loaded.
func (s *server) unbrowsed(token string, next http.Handler) http.Handler {
	refuse := func(w http.ResponseWriter, why string) {
		writeError(w, apierrors.NewForbidden(schema.GroupResource{}, "", errors.New(why)))
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, "pages of other sites may not write")
		}))
	next = origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token == "" && !isOurs(r.Host) {
			refuse(w, "without a token, this server is not known as "+r.Host)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOurs: an address, localhost, or a name without dots, which no site has.
func isOurs(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil || !strings.Contains(name, ".") ||
		strings.HasSuffix(name, ".localhost")
}
