package servers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of one cluster, and of nothing else.
type authority struct {
	folder string
	key    *ecdsa.PrivateKey
	cert   *x509.Certificate
}

// lifetime is how long certificates are good for: longer than any cluster of
// this package lives.
const lifetime = 30 * 24 * time.Hour

// slow is by how much the clock of who is shown one may be behind.
const slow = time.Hour

func newAuthority(folder string) (*authority, error) {
	a := &authority{folder: folder}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	a.cert = &x509.Certificate{
		Subject: pkix.Name{CommonName: "reconcile"}, IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	return a, a.sign("ca", a.cert, a.key)
}

// issue writes NAME.crt and NAME.key: of a server on this machine, or of a
// client who is a user of some groups.
func (a *authority) issue(name, user string, groups ...string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return a.sign(name, &x509.Certificate{
		Subject:  pkix.Name{CommonName: user, Organization: groups},
		KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost"},
	}, key)
}

// sign completes a certificate, and writes it with its key.
func (a *authority) sign(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	cert.SerialNumber = serial
	cert.NotBefore = time.Now().Add(-slow)
	cert.NotAfter = time.Now().Add(lifetime)
	signed, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return err
	}
	if cert.Raw, err = signed, nil; cert == a.cert {
		if a.cert, err = x509.ParseCertificate(signed); err != nil {
			return err
		}
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for file, block := range map[string]*pem.Block{
		".crt": {Type: "CERTIFICATE", Bytes: signed},
		".key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		err := os.WriteFile(filepath.Join(a.folder, name+file), pem.EncodeToMemory(block), 0o600)
		if err != nil {
			return err
		}
	}
	return nil
}
