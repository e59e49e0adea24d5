package up

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"reconcile/internal/httpserve"
	"reconcile/internal/lab"
	"reconcile/internal/trace/view"
)

// pagePath is where the lab's page is, and all that belongs to it.
const pagePath = "/lab/look/"

// looking answers what the page asks of the lab.
func looking(l *lab.Lab) http.Handler {
	return http.StripPrefix(strings.TrimSuffix(pagePath, "/"), l.Look.Serve(l.Do, l.WaitsNow))
}

// guardPage gives the page a token of its own, which its address carries: what is
// on a screen, and in a browser, must not open the API. On this machine it comes
// without TLS, since a browser would warn of the lab's certificate.
func (s *server) guardPage() {
	s.pass = httpserve.Pass{
		Token: httpserve.NewToken(), Path: pagePath, SameSite: http.SameSiteLaxMode,
		// Labs of one machine are one host to a browser.
		Cookie: "reconcile-look-" + s.url.Port(),
		Remedy: "open the address that `lab up` printed when this lab began",
	}
	if !isLoopback(s.listener) {
		s.page.Scheme, s.pass.Secure = "https", true
	}
	s.page.RawQuery = url.Values{"token": {s.pass.Token}}.Encode()
}

func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != pagePath && !strings.HasPrefix(r.URL.Path, pagePath):
		http.Redirect(w, r, pagePath+"?"+r.URL.RawQuery, http.StatusSeeOther)
	case s.pass.Opens(w, r):
		w.Header().Set("Content-Security-Policy", view.Policy)
		s.look.ServeHTTP(w, r)
	}
}

// openPage opens the page in a browser: outside, where one is.
func (s *server) openPage(opts Options) {
	switch {
	case !opts.Open:
	case inRoom():
		tellOutside(s.page.String())
	default:
		httpserve.OpenBrowser(opts.Out, s.page.String())
	}
}

// pageLine says where the page is.
func (s *server) pageLine() string {
	warns := ""
	if s.pass.Secure {
		warns = ", which will warn that the certificate is the lab's own"
	}
	return fmt.Sprintf("Look inside, in a browser%s:\n  %s\n", warns, s.page)
}
