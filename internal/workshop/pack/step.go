package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"reconcile/internal/gowork"
	"reconcile/internal/licences"
)

// offline is the environment of a folder that is complete.
var offline = []string{"GOFLAGS=-mod=vendor", "GOTOOLCHAIN=local", "GOPROXY=off"}

// run runs the go tool in a folder. If it fails the error has what it printed.
func (o Options) run(ctx context.Context, folder string, env []string, arguments ...string) error {
	command := gowork.Command(ctx, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), env...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // go tidies up
	out, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return nil
}

// addNotices writes what others wrote of all this, as programs for any of the systems
// and as a folder. It needs the modules whole: a copy of what is compiled lacks some
// of their licences.
func (o Options) addNotices(ctx context.Context, part string) error {
	var systems []string
	for _, s := range o.Systems {
		systems = append(systems, s.OS+"/"+s.Arch)
	}
	all, err := licences.Programs{Root: part, Packages: o.Programs, Systems: systems}.WithTree(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(part, licences.NoticesFile), []byte(licences.Notices(all)), 0o644)
}

// build builds the programs for a system, from what is in the folder and nothing
// else.
func (o Options) build(ctx context.Context, part string, system System, overlay string) error {
	env := append([]string{"GOOS=" + system.OS, "GOARCH=" + system.Arch, "CGO_ENABLED=0"}, offline...)
	for _, program := range o.Programs {
		arguments := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", system.program(path.Base(program))}
		if overlay != "" {
			arguments = append(arguments, "-overlay", overlay)
		}
		if err := o.run(ctx, part, env, append(arguments, "./"+program)...); err != nil {
			return err
		}
	}
	return nil
}

// pages makes the site, and returns an overlay in which the programs have it, and
// what removes that.
func (o Options) pages(ctx context.Context, part string) (overlay string, remove func(), err error) {
	if o.Pages == nil {
		return "", func() {}, nil
	}
	o.say("making the pages")
	folder, err := o.Pages(ctx, part)
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(folder)
	scratch, err := os.MkdirTemp("", "pack-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(scratch) }
	site, overlay := filepath.Join(scratch, "site.zip"), filepath.Join(scratch, "overlay.json")
	where, err := filepath.Abs(filepath.Join(part, filepath.FromSlash(o.PagesFile)))
	if err == nil {
		err = zipped(folder, filepath.Join(part, licences.NoticesFile), site)
	}
	if err == nil {
		var text []byte
		text, err = json.Marshal(map[string]any{"Replace": map[string]string{where: site}})
		if err == nil {
			err = os.WriteFile(overlay, text, 0o600)
		}
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return overlay, remove, nil
}
