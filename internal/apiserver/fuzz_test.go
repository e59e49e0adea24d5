package apiserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzURL sends requests to anywhere: a path that is not served is refused.
func FuzzURL(f *testing.F) {
	for _, url := range []string{
		"/", "//", "/api", "/api/v1/", "/apis/apps/v1/namespaces/default/deployments",
		pods + "/a/status", pods + "/a/log?tailLines=x", "/healthz/ping",
		pods + "?limit=-1&continue=e30", pods + "?limit=1&labelSelector=a%20in%20(b",
		pods + "?watch=true&timeoutSeconds=9223372036854775807&resourceVersion=0",
		pods + "?fieldSelector=metadata.name%3Da%2Cspec.nodeName!%3D&resourceVersionMatch=Exact",
		"/api/v1/namespaces/a/finalize", "/api/v1/namespaces//pods", pods + "/..%2f..",
		"/openapi/v3/api/v1?hash=x", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		pods + "?dryRun=All&gracePeriodSeconds=-9223372036854775808", "/version?timeout=x",
	} {
		for method := range methods {
			f.Add(url, uint8(method), uint8(method))
		}
	}
	f.Fuzz(func(t *testing.T, target string, method, accept uint8) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Host != "" {
			t.Skip("no client can send it")
		}
		a := newAPI(t)
		a.post(pods, aPod("a"))
		req := request{
			method: methods[int(method)%len(methods)], path: "/",
			accept: accepts[int(accept)%len(accepts)],
		}.http(t)
		req.URL = u
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		recorder := httptest.NewRecorder()
		a.handler.ServeHTTP(recorder, req.WithContext(ctx))
		allowed := []int{http.StatusNotImplemented, http.StatusGatewayTimeout}
		if !slices.Contains(allowed, recorder.Code) {
			require.Less(t, recorder.Code, 500, recorder.Body.String())
		}
	})
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

var accepts = []string{"", table, partial, list, "application/yaml", "text/plain"}
