package images

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/afero"

	"reconcile/internal/images/agnhost"
	"reconcile/internal/images/commands"
	"reconcile/internal/images/unix"
)

// The files of an image are made once, and are the same for all its tags.
var (
	busyboxImage = sync.OnceValue(func() *image {
		return newImage(inFolder("/bin", commands.All()), "/lib64")
	})
	alpineImage = sync.OnceValue(func() *image {
		all := inFolder("/bin", commands.All())
		all["/usr/bin/getent"] = commands.Getent
		return newImage(all, larger...)
	})
	debianImage = sync.OnceValue(func() *image {
		return newImage(debianCommands(), append(larger, "/boot", "/lib64")...)
	})
	agnhostImage = sync.OnceValue(func() *image {
		all := inFolder("/bin", commands.All())
		all["/agnhost"], all["/agnhost-2"] = agnhost.Command, agnhost.Command
		all["/usr/bin/curl"], all["/usr/bin/dig"] = commands.Curl, commands.Dig
		all["/usr/bin/getent"] = commands.Getent
		return newImage(all, larger...)
	})
	namesImage = sync.OnceValue(func() *image {
		return debianImage().with(map[string]unix.Command{"/usr/bin/dig": commands.Dig})
	})
	pauseImage = sync.OnceValue(func() *image {
		return newImage(map[string]unix.Command{"/pause": sleepUntilTold})
	})
)

// larger are the directories that a distribution has beside those of busybox.
var larger = []string{
	"/media", "/mnt", "/opt", "/run", "/sbin", "/srv", "/usr/lib", "/usr/share",
}

// newBase returns the files of an image that has only directories.
func newBase(dirs []string) afero.Fs {
	base := afero.NewMemMapFs()
	for _, dir := range append(dirs[:len(dirs):len(dirs)], "/bin", "/dev", "/etc",
		"/home", "/lib", "/usr/bin", "/usr/sbin", "/var/log", "/var/spool") {
		base.MkdirAll(dir, 0o755)
	}
	for dir, mode := range map[string]fs.FileMode{
		"/": 0o755, "/root": 0o700, "/proc": 0o555, "/sys": 0o555,
		"/tmp": 0o777 | fs.ModeSticky,
	} {
		base.MkdirAll(dir, mode)
		base.Chmod(dir, mode)
	}
	return base
}

// debianCommands returns the commands that Debian's own image has.
func debianCommands() map[string]unix.Command {
	all := commands.All()
	for _, name := range []string{
		"ash", "ip", "nc", "ps", "wget"} {
		delete(all, name)
	}
	all["bash"], all["sh"], all["getent"] = unix.Bash, unix.Dash, commands.Getent
	all["hostname"], all["timeout"] = commands.Hostname, commands.Timeout
	return inFolder("/bin", all)
}

func inFolder(dir string, all map[string]unix.Command) map[string]unix.Command {
	placed := map[string]unix.Command{}
	for name, command := range all {
		placed[dir+"/"+name] = command
	}
	return placed
}

// with returns a copy of an image with these commands added.
func (i *image) with(more map[string]unix.Command) *image {
	all := maps.Clone(i.commands)
	maps.Copy(all, more)
	return newImage(all, i.dirs...)
}

func busybox(tag string) *image {
	ok := slices.Contains([]string{
		"latest", "stable", "glibc", "musl", "uclibc"}, tag) ||
		within(tag, 1, 37, "glibc", "musl", "uclibc")
	return starting(ok, busyboxImage, "sh")
}

func alpine(tag string) *image {
	return starting(tag == "latest" || tag == "edge" || within(tag, 3, 23),
		alpineImage, "/bin/sh")
}

func debian(tag string) *image {
	release := strings.TrimSuffix(tag, "-slim")
	ok := slices.Contains([]string{"latest", "stable", "testing", "sid", "bullseye",
		"bookworm", "trixie", "10", "11", "12", "13"}, release)
	return starting(ok, debianImage, "bash")
}

// pause returns the image that Kubernetes runs to hold a Pod's sandbox.
func pause(tag string) *image {
	if !within(tag, 3, 10) {
		return nil
	}
	i := *pauseImage()
	i.entrypoint = []string{"/pause"}
	return &i
}

// agnhostLast is the last minor version of agnhost 2 that there is.
const agnhostLast = 70

// testHost returns the image that most of Kubernetes' own tests run.
func testHost(tag string) *image {
	if !within(tag, 2, agnhostLast) {
		return nil
	}
	i := *agnhostImage()
	i.entrypoint, i.cmd = []string{"/agnhost"}, []string{"pause"}
	i.files = map[string]string{"/localhost.crt": "-----BEGIN CERTIFICATE-----\n"}
	return &i
}

// names returns the image by which Kubernetes' own tests ask for names as glibc
// does.
func names(tag string) *image {
	return starting(within(tag, 2, 1), namesImage, "bash")
}

// starting returns an image that starts with a command, or nil if it is not
// there.
func starting(there bool, of func() *image, command ...string) *image {
	if !there {
		return nil
	}
	i := *of()
	i.cmd = command
	return &i
}

// sleepUntilTold does nothing until it is told to end.
func sleepUntilTold(ctx context.Context, p *unix.Process) int {
	told := make(chan struct{})
	var once sync.Once
	p.Catch(func(syscall.Signal) { once.Do(func() { close(told) }) })
	select {
	case <-told:
		return 0
	case <-ctx.Done():
		return 1
	}
}
