package servers

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
)

// Spoiler stands between clients and kube-apiserver, and spoils a share of the
// requests: by turns one is answered 500 and never arrives, one is answered 503,
// and one is done and its answer is lost, so that the client does not know.
type Spoiler struct {
	Spoiled, Passed atomic.Int64

	server *http.Server
	proxy  *httputil.ReverseProxy
	mu     sync.Mutex
	share  float64
	dice   *rand.Rand
	turn   int
}

// Spoil starts a spoiler that spoils nothing yet, and points the kubeconfig of a
// user at it. To kube-apiserver it is that user, whoever asks: it listens on this machine, and
// only those who show a certificate of the cluster may ask.
func (c *Cluster) Spoil(user string, seed uint64) (*Spoiler, error) {
	address, err := free()
	if err != nil {
		return nil, err
	}
	client, err := tls.LoadX509KeyPair(c.file(user+".crt"), c.file(user+".key"))
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(c.file("ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", c.file("ca.crt"))
	}
	target, err := url.Parse(c.Address())
	if err != nil {
		return nil, err
	}
	s := &Spoiler{dice: rand.New(rand.NewPCG(seed, seed))}
	s.proxy = httputil.NewSingleHostReverseProxy(target)
	s.proxy.FlushInterval = -1 // watches
	s.proxy.Transport = &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{client}},
	}
	s.server = &http.Server{Addr: address, Handler: s, TLSConfig: &tls.Config{
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}}
	// Its only error is that it was closed, or that the port is taken, and then
	// no client gets anywhere.
	go func() { _ = s.server.ListenAndServeTLS(c.file("server.crt"), c.file("server.key")) }()
	return s, c.WriteKubeconfig(user, "https://"+address)
}

// Share sets what share of the requests is spoiled from now on.
func (s *Spoiler) Share(share float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.share = share
}

// Close ends the spoiler and what passes through it.
func (s *Spoiler) Close() error { return s.server.Close() }

// ServeHTTP implements http.Handler.
func (s *Spoiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch s.decide() {
	case 0:
		s.Passed.Add(1)
		s.proxy.ServeHTTP(w, r)
	case 1:
		http.Error(w, "spoiled", http.StatusInternalServerError)
	case 2:
		http.Error(w, "spoiled", http.StatusServiceUnavailable)
	case 3:
		if r.Method == http.MethodGet { // a watch would never come to its end
			panic(http.ErrAbortHandler)
		}
		s.proxy.ServeHTTP(&lost{header: http.Header{}}, r)
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
}

// decide returns 0 for a request that passes, else how it is spoiled.
func (s *Spoiler) decide() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dice.Float64() >= s.share {
		return 0
	}
	s.Spoiled.Add(1)
	s.turn = s.turn%3 + 1
	return s.turn
}

// lost is the way back of an answer that does not arrive.
type lost struct{ header http.Header }

// Header implements http.ResponseWriter.
func (l *lost) Header() http.Header { return l.header }

// Write implements http.ResponseWriter.
func (l *lost) Write(text []byte) (int, error) { return len(text), nil }

// WriteHeader implements http.ResponseWriter.
func (l *lost) WriteHeader(int) {}
