package commands

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"reconcile/internal/images/unix"
)

// All returns the commands by name.
func All() map[string]unix.Command {
	all := map[string]unix.Command{
		"ash": unix.Shell, "sh": unix.Shell,
		"awk": awk, "cat": cat, "head": head, "tail": tail, "tee": tee, "wc": wc,
		"cut": cut, "grep": grep, "sed": sed, "sort": sortLines, "tr": tr,
		"uniq": uniq, "seq": seq, "yes": yes,
		"chmod": chmod, "cp": cp, "dd": dd, "ln": ln, "ls": ls, "mkdir": mkdir, "mv": mv, "rm": rm,
		"rmdir": rmdir, "touch": touch, "find": find, "stat": stat, "tar": tarCommand,
		"basename": basename, "dirname": dirname, "which": which,
		"readlink": readlink,
		"date":     date, "env": env, "hostname": hostname,
		"dnsdomainname": hostname, "id": id, "nproc": nproc,
		"printenv": printenv, "sleep": sleep, "sync": nothing, "uname": uname,
		"whoami": whoami,
		"kill":   kill, "pidof": pidof, "ps": ps, "top": top,
		"timeout": timeout, "xargs": xargs,
		"ip": ip, "nc": nc, "nslookup": nslookup, "ping": ping, "wget": wget,
		"df": df,
	}
	for _, name := range []string{"[", "echo", "false", "printf", "pwd", "test", "true"} {
		all[name] = builtin
	}
	all["busybox"] = busybox
	return all
}

// builtin runs a command that a shell has anyway.
func builtin(ctx context.Context, p *unix.Process) int {
	name := path.Base(p.Args[0])
	p.Args = append([]string{"sh", "-c", name + ` "$@"`, name}, p.Args[1:]...)
	return unix.Shell(ctx, p)
}

func nothing(context.Context, *unix.Process) int { return 0 }

// busybox runs the command that its first argument names.
func busybox(ctx context.Context, p *unix.Process) int {
	all := All()
	if len(p.Args) < 2 || p.Args[1] == "--list" {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintln(p.Stdout, name)
		}
		return 0
	}
	command := all[p.Args[1]]
	if command == nil {
		fmt.Fprintf(p.Stderr, "%s: applet not found\n", p.Args[1])
		return 127
	}
	p.Args = p.Args[1:]
	return command(ctx, p)
}
