package doctor

import (
	"context"
)

// These are the steps of a try, in their order. The finding has the error of
// the first that fails; those after it were not tried.
const (
	mounts   = "mounts"   // a table of mounts, and a /proc, of its own
	network  = "network"  // a bridge, and a cable into a namespace
	nftables = "nftables" // rules in there
)

// Steps lists what is tried in a room.
var Steps = []string{mounts, network, nftables}

// room tries the things that no setting decides for certain.
func (m Machine) room(ctx context.Context) []Finding {
	failed, err := m.Try(ctx)
	first := Finding{Name: "namespaces", OK: err == nil, Needed: true}
	if err != nil {
		first.Says, first.Do = err.Error(), m.allow()
		return []Finding{first}
	}
	all := []Finding{first}
	for _, step := range Steps {
		f := Finding{Name: step, OK: failed[step] == "", Needed: true}
		all = append(all, f)
		if f.OK {
			continue
		}
		last := &all[len(all)-1]
		last.Says = failed[step]
		switch step {
		case mounts:
			last.Do = m.allow()
		case network:
			last.Do = []string{"sudo modprobe -a bridge veth"}
		case nftables:
			last.Do = []string{"sudo modprobe -a nf_tables nft_chain_nat " +
				"nft_nat nft_numgen nft_reject_ipv4"}
		}
		break
	}
	return all
}

// allow returns the settings that may forbid namespaces here.
func (m Machine) allow() (do []string) {
	for _, s := range []struct{ name, forbids, allows string }{
		{"kernel.unprivileged_userns_clone", "0", "1"},             // Debian's
		{"kernel.apparmor_restrict_unprivileged_userns", "1", "0"}, // Ubuntu's
		{"user.max_user_namespaces", "0", "15000"},
	} {
		if m.setting(s.name) == s.forbids {
			do = append(do, "sudo sysctl -w "+s.name+"="+s.allows)
		}
	}
	switch {
	case do != nil:
		return do
	case m.has(".dockerenv") || m.has("run/.containerenv"):
		// A container: its seccomp profile refuses namespaces, its AppArmor
		// profile mounts, and the files that hide parts of /proc another /proc.
		return []string{"docker run --security-opt seccomp=unconfined " +
			"--security-opt apparmor=unconfined " +
			"--security-opt systempaths=unconfined …"}
	case m.UID != 0:
		return []string{"sudo go run ./cmd/lab up --runtime " + m.Runtime}
	}
	return nil
}
