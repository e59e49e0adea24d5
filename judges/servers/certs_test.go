package servers

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCertificatesAreTrustedByTheirOwnAuthorityOnly(t *testing.T) {
	verify := func(by, of string) error {
		ca, err := os.ReadFile(filepath.Join(by, "ca.crt"))
		require.NoError(t, err)
		pool := x509.NewCertPool()
		require.True(t, pool.AppendCertsFromPEM(ca))
		pair, err := tls.LoadX509KeyPair(filepath.Join(of, "ada.crt"), filepath.Join(of, "ada.key"))
		require.NoError(t, err)
		_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: "127.0.0.1",
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
		assert.Equal(t, "ada", pair.Leaf.Subject.CommonName)
		assert.Equal(t, []string{"editors"}, pair.Leaf.Subject.Organization)
		return err
	}
	one, other := t.TempDir(), t.TempDir()
	for _, folder := range []string{one, other} {
		a, err := newAuthority(folder)
		require.NoError(t, err)
		require.NoError(t, a.issue("ada", "ada", "editors"))
	}
	assert.NoError(t, verify(one, one))
	assert.Error(t, verify(other, one))
}
