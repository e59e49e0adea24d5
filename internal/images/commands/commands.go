package commands

import (
	"context"
	"path"

	"reconcile/internal/images/unix"
)

// All returns the commands by name.
func All() map[string]unix.Command {
	all := map[string]unix.Command{
		"ash": unix.Shell, "sh": unix.Shell,
		"awk": awk, "cat": cat, "head": head, "tail": tail, "wc": wc,
		"cut": cut, "grep": grep, "sed": sed, "sort": sortLines, "tr": tr,
		"uniq": uniq, "seq": seq, "tee": tee, "base64": encode, "md5sum": md5sum, "sha256sum": sha256sum,
		"expr": expr, "basename": basename, "dirname": dirname, "readlink": readlink, "mktemp": mktemp,
		"chmod": chmod, "cp": cp, "dd": dd, "ln": ln, "ls": ls, "mkdir": mkdir, "mv": mv, "rm": rm,
		"touch": touch, "find": find, "tar": tarCommand,
		"date": date, "env": env, "hostname": hostname, "id": id, "printenv": printenv,
		"sleep": sleep, "timeout": timeout,
		"kill": kill, "ps": ps,
		"ip": ip, "nc": nc, "nslookup": nslookup, "wget": wget,
	}
	for _, name := range []string{"[", "echo", "false", "printf", "pwd", "test", "true"} {
		all[name] = builtin
	}
	return all
}

// builtin runs a command that a shell has anyway.
func builtin(ctx context.Context, p *unix.Process) int {
	name := path.Base(p.Args[0])
	p.Args = append([]string{"sh", "-c", name + ` "$@"`, name}, p.Args[1:]...)
	return unix.Shell(ctx, p)
}
