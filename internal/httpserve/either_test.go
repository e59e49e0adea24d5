package httpserve_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/httpserve"
)

// eitherWay serves at a port that speaks TLS and HTTP, and hands over what connects
// to it. A handler says how it was asked.
func eitherWay(t *testing.T, story func(connect func() net.Conn)) {
	t.Helper()
	config := certified(t)
	synctest.Test(t, func(t *testing.T) {
		listener := inMemory{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, make(chan net.Conn)}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- httpserve.Serve(ctx, httpserve.Either(listener, config), http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "TLS ", r.TLS != nil) }))
		}()
		story(func() net.Conn {
			client, server := net.Pipe()
			listener.connections <- server
			return client
		})
		stop()
		assert.NoError(t, <-done)
	})
}

// certified returns how a server speaks TLS that is its own authority.
func certified(t *testing.T) *tls.Config {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(nil, of, of, public, private)
	require.NoError(t, err)
	return &tls.Config{Certificates: []tls.Certificate{
		{Certificate: [][]byte{certificate}, PrivateKey: private},
	}}
}

// asksBy sends a request by a connection, and returns what comes back.
func asksBy(t *testing.T, c net.Conn) string {
	t.Helper()
	go io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

func secured(c net.Conn) net.Conn {
	return tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // a test's certificate
}

func TestAPortSpeaksTLSAndHTTP(t *testing.T) {
	eitherWay(t, func(connect func() net.Conn) {
		plain, secure := connect(), secured(connect())
		for range 2 { // a connection stays what it is
			assert.Equal(t, "TLS false", asksBy(t, plain))
			assert.Equal(t, "TLS true", asksBy(t, secure))
		}
		plain.Close()
		secure.Close()
	})
}

// A client that says nothing, or no more than that it will speak TLS, keeps no
// other waiting, and is cut off like one of HTTP.
func TestASilentClientHoldsUpNoOther(t *testing.T) {
	for name, says := range map[string]string{
		"nothing": "", "a record's first byte": "\x16", "a record's head": "\x16\x03\x01\x02\x00",
		"half a line": "GET / HT",
	} {
		eitherWay(t, func(connect func() net.Conn) {
			silent := connect()
			io.WriteString(silent, says)
			other := secured(connect())
			assert.Equal(t, "TLS true", asksBy(t, other), name)
			other.Close()
			began := time.Now()
			io.Copy(io.Discard, silent)
			assert.Equal(t, 10*time.Second, time.Since(began), name)
		})
	}
}

func TestWhatIsNeitherEndsTheConnection(t *testing.T) {
	eitherWay(t, func(connect func() net.Conn) {
		c := connect()
		go io.WriteString(c, "\x16 this is no record\r\n\r\n")
		text, err := io.ReadAll(c)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "TLS true")
	})
}

func TestAPassIsATokenAndThenACookie(t *testing.T) {
	pass := httpserve.Pass{
		Token: httpserve.NewToken(), Cookie: "look-1", Path: "/look", Secure: true,
		SameSite: http.SameSiteStrictMode, Remedy: "look at the terminal",
	}
	ask := func(path, header, value string) *http.Response {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set(header, value)
		if pass.Opens(w, r) {
			w.WriteHeader(http.StatusTeapot)
		}
		return w.Result()
	}
	opened := ask("/look/stream?token="+pass.Token, "", "")
	assert.Equal(t, http.StatusSeeOther, opened.StatusCode)
	assert.Equal(t, "/look", opened.Header.Get("Location"), "no token for the projector")
	assert.Equal(t, "no-referrer", opened.Header.Get("Referrer-Policy"))
	assert.Equal(t, []string{"look-1=" + pass.Token + "; Path=/look; HttpOnly; Secure; SameSite=Strict"},
		opened.Header.Values("Set-Cookie"))
	assert.Equal(t, http.StatusTeapot, ask("/look", "Cookie", "look-1="+pass.Token).StatusCode)
	assert.Equal(t, http.StatusTeapot, ask("/look", "Authorization", "Bearer "+pass.Token).StatusCode)

	for name, refused := range map[string]*http.Response{
		"none":            ask("/look", "", ""),
		"a wrong one":     ask("/look?token="+strings.ToLower(pass.Token), "", ""),
		"an empty one":    ask("/look?token=", "Cookie", "look-1="+pass.Token),
		"a wrong cookie":  ask("/look", "Cookie", "look-1=x"),
		"another's":       ask("/look", "Cookie", "look-2="+pass.Token),
		"an empty cookie": ask("/look", "Cookie", "look-1="),
	} {
		assert.Equal(t, http.StatusUnauthorized, refused.StatusCode, name)
		assert.Empty(t, refused.Header.Values("Set-Cookie"), name)
		text, _ := io.ReadAll(refused.Body)
		assert.Equal(t, "the token is wrong, or missing: look at the terminal\n", string(text), name)
	}
	pass.Token = ""
	assert.Equal(t, http.StatusTeapot, ask("/look", "", "").StatusCode, "a door without a token")
}
