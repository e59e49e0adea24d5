//go:build linux

package oci

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	controlloop "reconcile/chapters/01-control-loop"
)

// virtual is the address of a Service, which no machine has, and what is behind
// each of its ports. One without an address is none: a headless Service.
type virtual struct {
	ip    netip.Addr
	ports map[int32][]netip.AddrPort
}

func (v virtual) equal(o virtual) bool {
	return v.ip == o.ip && maps.EqualFunc(v.ports, o.ports, slices.Equal)
}

// Tell tells all Pods of a Service what chapter 3's Proxy has in its table: it
// is that Proxy's Tell. A Pod that cannot be told now is told when the Proxy
// tries again; nothing is written for those that know it already.
func (n *Network) Tell(
	key controlloop.Key, ip string, ports map[int32][]string,
) error {
	v, err := parseVirtual(ip, ports)
	if err != nil {
		return fmt.Errorf("service %s: %w", key, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if v.ip.IsValid() {
		n.services[key] = v
	} else {
		delete(n.services, key)
	}
	var errs []error
	for _, c := range n.pods {
		errs = append(errs, c.learn(map[controlloop.Key]virtual{key: v}))
	}
	return errors.Join(errs...)
}

func parseVirtual(ip string, ports map[int32][]string) (virtual, error) {
	v := virtual{ports: map[int32][]netip.AddrPort{}}
	var err error
	if v.ip, err = netip.ParseAddr(ip); err != nil {
		return virtual{}, nil // "None", or the Service is gone
	}
	for port, behind := range ports {
		for _, address := range behind {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return virtual{}, err
			}
			v.ports[port] = append(v.ports[port], at)
		}
	}
	return v, nil
}
