//go:build linux

// Package nft says to the kernel what nft's own language says in a few words: each
// function returns the part of a rule that its comment has. Between them a value
// is put into a register, and compared with another.
package nft

import (
	"net/netip"

	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// To returns: ip daddr 10.96.12.7
func To(ip netip.Addr) []expr.Any {
	const destination = 16 // its place in the header of IPv4
	return []expr.Any{
		&expr.Payload{
			DestRegister: 1, Base: expr.PayloadBaseNetworkHeader,
			Offset: destination, Len: 4,
		},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: ip.AsSlice()},
	}
}

// Port returns: tcp dport 3306
func Port(protocol byte, port uint16) []expr.Any {
	const destination = 2 // its place in the headers of TCP and of UDP
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{protocol}},
		&expr.Payload{
			DestRegister: 1, Base: expr.PayloadBaseTransportHeader,
			Offset: destination, Len: 2,
		},
		&expr.Cmp{
			Op: expr.CmpOpEq, Register: 1,
			Data: binaryutil.BigEndian.PutUint16(port),
		},
	}
}

// Goto returns: goto port-3306
func Goto(chain string) expr.Any {
	return &expr.Verdict{Kind: expr.VerdictGoto, Chain: chain}
}

// OneIn returns: numgen random mod 3 0
func OneIn(n uint32) []expr.Any {
	return []expr.Any{
		&expr.Numgen{
			Register: 1, Type: unix.NFT_NG_RANDOM, Modulus: n,
		},
		&expr.Cmp{
			Op: expr.CmpOpEq, Register: 1,
			Data: binaryutil.NativeEndian.PutUint32(0),
		},
	}
}

// DNAT returns: dnat to 10.244.1.2:3306
func DNAT(at netip.AddrPort) []expr.Any {
	return []expr.Any{
		&expr.Immediate{Register: 1, Data: at.Addr().AsSlice()},
		&expr.Immediate{
			Register: 2, Data: binaryutil.BigEndian.PutUint16(at.Port())},
		&expr.NAT{
			Type: expr.NATTypeDestNAT, Family: unix.NFPROTO_IPV4,
			RegAddrMin: 1, RegProtoMin: 2,
		},
	}
}

// Reject returns: reject. A client is told what a machine says on whose port no
// process listens.
func Reject() expr.Any {
	const portUnreachable = 3
	return &expr.Reject{
		Type: unix.NFT_REJECT_ICMP_UNREACH, Code: portUnreachable,
	}
}
