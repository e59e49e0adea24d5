package httpserve

import (
	"fmt"
	"net"
	"net/http"
)

// guarded lets no page in a browser act on this machine but the listener's own. A
// page may send requests to loopback like any program, so writes by another site's
// page are refused: net/http looks at Sec-Fetch-Site and Origin. And it can make its
// own name lead to 127.0.0.1, and would then be able to read the answers: where only
// this machine gets in, requests that were sent to another name are refused. What open
// matches is another site's to send, too.
func guarded(addr net.Addr, next http.Handler, open []string) http.Handler {
	protection := http.NewCrossOriginProtection()
	for _, pattern := range open {
		protection.AddInsecureBypassPattern(pattern)
	}
	next = protection.Handler(next)
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			http.Error(w, fmt.Sprintf("this address serves its own machine only, "+
				"not %q: ask for localhost", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
