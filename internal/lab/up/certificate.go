package up

import (
	"crypto/tls"
	"net"
	"os"

	"k8s.io/client-go/util/cert"
)

// newCertificate makes a certificate for all names that this machine may be
// reached under. It is its own authority, and is kept nowhere.
func newCertificate(addr net.Addr) (tls.Certificate, []byte, error) {
	ip := addr.(*net.TCPAddr).IP
	ips := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip.IsUnspecified() {
		ips = append(ips, ownAddresses()...)
		ip = ips[0]
	}
	names := []string{"localhost"}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	authority, key, err := cert.GenerateSelfSignedCertKey(ip.String(), ips, names)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	certificate, err := tls.X509KeyPair(authority, key)
	return certificate, authority, err
}

func ownAddresses() []net.IP {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the names will have to do
	}
	var ips []net.IP
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok {
			ips = append(ips, network.IP)
		}
	}
	return ips
}
