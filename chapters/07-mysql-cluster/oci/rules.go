//go:build linux

package oci

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci/nft"
)

// learn writes rules for Services into the namespace of a Pod, all of them or
// none, and none that are there. A process in the Pod connects to the address
// of a Service; the kernel puts another one in its place before the first
// packet has left.
//
// A Service is a table, which is thrown away and written anew when something
// has changed:
//
//	table ip default/mysql-read {
//		chain connect {
//			type nat hook output priority dstnat
//			ip daddr 10.96.12.7 tcp dport 3306 goto port-3306
//		}
//		chain port-3306 {
//			numgen random mod 2 0 dnat to 10.244.1.2:3306
//			dnat to 10.244.2.2:3306
//		}
//		chain refuse {
//			type filter hook output priority filter
//			ip daddr 10.96.12.7 reject
//		}
//	}
func (c *cable) learn(services map[controlloop.Key]virtual) error {
	rules, err := nftables.New(nftables.WithNetNSFd(int(c.inside.Fd())))
	if err != nil {
		return err
	}
	known := maps.Clone(c.services)
	for key, v := range services {
		if v.equal(known[key]) {
			continue
		}
		rewrite(rules, key.String(), v)
		known[key] = v
		if !v.ip.IsValid() {
			delete(known, key)
		}
	}
	if err := rules.Flush(); err != nil {
		return fmt.Errorf("rules of %s: %w", c.ip, err)
	}
	c.services = known
	return nil
}

// rewrite makes a table what it should be, whatever it was. A table that is not
// there cannot be deleted: so it is made first.
func rewrite(rules *nftables.Conn, name string, v virtual) {
	table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: name}
	rules.AddTable(table)
	rules.DelTable(table)
	if !v.ip.IsValid() {
		return
	}
	rules.AddTable(table)
	connect := rules.AddChain(&nftables.Chain{
		Table: table, Name: "connect", Type: nftables.ChainTypeNAT,
		Hooknum:  nftables.ChainHookOutput,
		Priority: nftables.ChainPriorityNATDest,
	})
	for _, port := range slices.Sorted(maps.Keys(v.ports)) {
		share(rules, connect, v, port)
	}
	// A packet that is still for the Service now is for a port that it does not
	// have, or that has nothing behind it.
	refuse := rules.AddChain(&nftables.Chain{
		Table: table, Name: "refuse", Type: nftables.ChainTypeFilter,
		Hooknum:  nftables.ChainHookOutput,
		Priority: nftables.ChainPriorityFilter,
	})
	rules.AddRule(&nftables.Rule{Table: table, Chain: refuse, Exprs: append(
		nft.To(v.ip), nft.Reject())})
}

// share gives each of those behind a port the same share of the connections. Of
// three, the first takes every third; of what is left, the second every other
// one; and the third all the rest.
func share(
	rules *nftables.Conn, connect *nftables.Chain, v virtual, port int32,
) {
	of := rules.AddChain(
		&nftables.Chain{Table: connect.Table, Name: fmt.Sprint("port-", port)})
	for _, protocol := range []byte{unix.IPPROTO_TCP, unix.IPPROTO_UDP} {
		rules.AddRule(&nftables.Rule{
			Table: of.Table, Chain: connect, Exprs: append(
				append(nft.To(v.ip), nft.Port(protocol, uint16(port))...),
				nft.Goto(of.Name)),
		})
	}
	behind := v.ports[port]
	for i, at := range behind {
		var one []expr.Any
		if left := len(behind) - i; left > 1 {
			one = nft.OneIn(uint32(left))
		}
		rules.AddRule(&nftables.Rule{
			Table: of.Table, Chain: of, Exprs: append(one, nft.DNAT(at)...)})
	}
}
