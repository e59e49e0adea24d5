package up_test

import (
	"bufio"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// page returns the address of the lab's page.
func (r *running) page() string {
	r.t.Helper()
	found := regexp.MustCompile(`https?://\S+/lab/look/\S*`).FindString(r.out.String())
	require.NotEmpty(r.t, found)
	return found
}

// get sends a request whose answer is a redirection, a refusal or whole, and returns
// it.
func get(t *testing.T, by http.RoundTripper, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	request.Header, request.Host = header, header.Get("Host")
	response, err := by.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

const versions = "versions?kind=Node&key=node-1"

func TestThePagesAddressOpensThePageAndNothingElse(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	whole := l.page()
	at, query, _ := strings.Cut(whole, "?")
	token := strings.TrimPrefix(query, "token=")
	assert.Equal(t, "http://127.0.0.1:"+l.port()+"/lab/look/", at, "a browser would warn of TLS")
	assert.NotEqual(t, l.config().BearerToken, token)

	opened, _ := get(t, http.DefaultTransport, whole, http.Header{})
	assert.Equal(t, http.StatusSeeOther, opened.StatusCode)
	assert.Equal(t, "/lab/look/", opened.Header.Get("Location"))
	cookie := opened.Header.Get("Set-Cookie")
	assert.Equal(t, "reconcile-look-"+l.port()+"="+token+"; Path=/lab/look/; HttpOnly; SameSite=Lax", cookie)
	without, _ := get(t, http.DefaultTransport, strings.TrimSuffix(at, "/")+"?"+query, http.Header{})
	assert.Equal(t, "/lab/look/?"+query, without.Header.Get("Location"))
	kept, _, _ := strings.Cut(cookie, ";")
	found, text := get(t, http.DefaultTransport, at+versions, http.Header{"Cookie": {kept}})
	assert.Equal(t, http.StatusOK, found.StatusCode, text)
	for _, path := range []string{"", "look.js", "look.css", "page.js", "page.css"} {
		found, text = get(t, http.DefaultTransport, at+path, http.Header{"Cookie": {kept}})
		assert.Equal(t, http.StatusOK, found.StatusCode, "%s: %s", path, text)
		policy := strings.Split(found.Header.Get("Content-Security-Policy"), "; ")
		assert.Contains(t, policy, "default-src 'self'", path)
		assert.Contains(t, policy, "frame-ancestors 'none'", path)
		assert.NotContains(t, found.Header.Get("Content-Security-Policy"), "unsafe", path)
	}

	const remedy = "the token is wrong, or missing: open the address that `lab up` printed when this lab began\n"
	for name, refused := range map[string]struct {
		address string
		header  http.Header
	}{
		"none":                {at + versions, http.Header{}},
		"a wrong one":         {at + "?token=" + strings.ToLower(token), http.Header{}},
		"the API's":           {at + "?token=" + l.config().BearerToken, http.Header{}},
		"another lab's":       {at + versions, http.Header{"Cookie": {"reconcile-look-1=" + token}}},
		"the API's, and none": {at + versions, http.Header{"Authorization": {"Bearer " + l.config().BearerToken}}},
	} {
		response, said := get(t, http.DefaultTransport, refused.address, refused.header)
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode, name)
		assert.Equal(t, remedy, said, name)
	}
	api := l.config().Host + "/api/v1/nodes"
	for _, header := range []http.Header{{"Cookie": {kept}}, {"Authorization": {"Bearer " + token}}} {
		response, _ := get(t, anonymous(t, l), api, header)
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode, "the page's token opens no API")
	}
	require.NoError(t, l.stop())
}

// anonymous speaks TLS, and has no token.
func anonymous(t *testing.T, l *running) http.RoundTripper {
	t.Helper()
	client, err := rest.HTTPClientFor(rest.AnonymousClientConfig(l.config()))
	require.NoError(t, err)
	return client.Transport
}

// The address says what is let in on this machine; the API's token isn't sent in the
// clear, and is not obeyed.
func TestWithoutTLSThereIsThePageAlone(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	host := "http://127.0.0.1:" + l.port()
	knows := http.Header{"Authorization": {"Bearer " + l.config().BearerToken}}
	for _, path := range []string{"/api/v1/nodes", "/lab/nodes", "/", "/lab/looking", "/version"} {
		response, said := get(t, http.DefaultTransport, host+path, knows)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode, path)
		assert.Equal(t, "the API is at https://127.0.0.1:"+l.port()+", and clients find it by the lab's kubeconfig: "+
			"without TLS there is the page /lab/look/ alone\n", said, path)
	}
	response, _ := get(t, http.DefaultTransport, l.page(), http.Header{"Host": {"evil.example"}})
	assert.Equal(t, http.StatusForbidden, response.StatusCode)
	request, err := http.NewRequest(http.MethodPost, host+"/lab/look/do?verb=pause", nil)
	require.NoError(t, err)
	_, query, _ := strings.Cut(l.page(), "token=")
	request.Header = http.Header{"Cookie": {"reconcile-look-" + l.port() + "=" + query}, "Origin": {"http://127.0.0.1:1"}}
	for origin, code := range map[string]int{"http://127.0.0.1:1": http.StatusForbidden, host: http.StatusOK} {
		request.Header.Set("Origin", origin)
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		response.Body.Close()
		assert.Equal(t, code, response.StatusCode, origin)
	}
	require.NoError(t, l.stop())
}

func TestOnOtherAddressesThePageIsOfTLSAlone(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.Address, opts.Token = "0.0.0.0", "open sesame, please"
	l := start(t, opts)
	assert.Contains(t, l.out.String(), "Look inside, in a browser, which will warn that the certificate is the lab's own:\n  https://")
	opened, _ := get(t, anonymous(t, l), l.page(), http.Header{})
	assert.Equal(t, http.StatusSeeOther, opened.StatusCode)
	assert.Contains(t, opened.Header.Get("Set-Cookie"), "; HttpOnly; Secure; SameSite=Lax")
	refused, said := get(t, http.DefaultTransport, strings.Replace(l.page(), "https", "http", 1), http.Header{})
	assert.Equal(t, http.StatusBadRequest, refused.StatusCode)
	assert.Contains(t, said, "HTTP request to an HTTPS server")
	require.NoError(t, l.stop())
}

func TestAnOpenDoorAsksForNoTokenForThePage(t *testing.T) {
	opts := inFolder(t.TempDir())
	opts.OpenDoor = true
	l := start(t, opts)
	assert.Equal(t, "http://127.0.0.1:"+l.port()+"/lab/look/", l.page())
	found, _ := get(t, http.DefaultTransport, l.page()+versions, http.Header{})
	assert.Equal(t, http.StatusOK, found.StatusCode)
	require.NoError(t, l.stop())
}

func TestThePageHearsOfWhatHappensUntilTheLabStops(t *testing.T) {
	l := start(t, inFolder(t.TempDir()))
	l.create("default", pod("early")) // nobody looks yet
	at, query, _ := strings.Cut(l.page(), "?token=")
	request, err := http.NewRequest(http.MethodGet, at+"stream", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+query)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	assert.Regexp(t, `^data: \[\{"at":\d+,"do":"since"\},.*"do":"is","kind":"Node","key":"node-1"`, first)
	assert.Contains(t, first, `"kind":"Pod","key":"default/early","v":`)
	assert.Contains(t, first, `"verb":"added","is":{"word":"Pending"`)
	l.create("default", pod("web"))
	for line := ""; !strings.Contains(line, `"word":"Running"`); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, l.stop())
	_, err = io.ReadAll(lines)
	assert.NoError(t, err, "the answer ends as answers do")
}
