package agnhost

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/spf13/afero"
)

// newFile is what mounttest writes.
const newFile = "mount-tester new file\n"

// mounttest writes, reads and describes files as its flags say, in an order that
// lets one call look at what it has written.
func mounttest(ctx context.Context, c call) int {
	failed := c.fsType(c.flags["fs_type"]) != nil
	for _, mode := range []fs.FileMode{0o644, 0o666, 0o660, 0o777} {
		path := c.flags[fmt.Sprintf("new_file_%04o", mode)]
		failed = c.write(path, mode) != nil || failed
	}
	failed = c.modes() != nil || failed
	failed = c.content(c.flags["file_content"]) != nil || failed
	failed = c.contentInLoop(ctx) != nil || failed
	if failed {
		return 1
	}
	return 0
}

// fsType prints what a volume is made of. All that a simulated container sees is
// said to be memory; the tests ask where it should be.
func (c call) fsType(path string) error {
	if path == "" {
		return nil
	}
	if _, err := c.Box.Files.Stat(path); err != nil {
		fmt.Fprintf(c.Stdout, "error from statfs(%q): %v\n", path, err)
		return err
	}
	fmt.Fprintf(c.Stdout, "mount type of %q: tmpfs\n", path)
	return nil
}

// modes prints who may do what with files.
func (c call) modes() error {
	for _, of := range []struct {
		flag string
		say  func(path string, info fs.FileInfo)
	}{
		{"file_mode", func(path string, info fs.FileInfo) {
			fmt.Fprintf(c.Stdout, "mode of file %q: %v\n", path, info.Mode())
		}},
		{"file_perm", func(path string, info fs.FileInfo) {
			fmt.Fprintf(c.Stdout, "perms of file %q: %v\n", path, info.Mode().Perm())
		}},
		{"file_owner", func(path string, info fs.FileInfo) { // all is root's
			fmt.Fprintf(c.Stdout, "owner UID of %q: 0\nowner GID of %q: 0\n", path, path)
		}},
	} {
		path := c.flags[of.flag]
		if path == "" {
			continue
		}
		info, err := c.Box.Files.Stat(path)
		if err != nil {
			fmt.Fprintf(c.Stdout, "error from Stat(%q): %v\n", path, err)
			return err
		}
		of.say(path, info)
	}
	return nil
}

// write makes a file, and reads it.
func (c call) write(path string, mode fs.FileMode) error {
	if path == "" {
		return nil
	}
	if err := afero.WriteFile(c.Box.Files, path, []byte(newFile), mode); err != nil {
		fmt.Fprintf(c.Stdout, "error writing new file %q: %v\n", path, err)
		return err
	}
	return c.content(path)
}

// content prints what is in a file.
func (c call) content(path string) error {
	if path == "" {
		return nil
	}
	text, err := afero.ReadFile(c.Box.Files, path)
	if err != nil {
		fmt.Fprintf(c.Stdout, "error reading file content for %q: %v\n", path, err)
		return err
	}
	fmt.Fprintf(c.Stdout, "content of file %q: %s\n", path, text)
	return nil
}

// contentInLoop prints what is in a file every other second: until it is what
// mounttest writes, or for some time.
func (c call) contentInLoop(ctx context.Context) error {
	path := c.flags["file_content_in_loop"]
	if path == "" {
		return nil
	}
	seconds, err := strconv.Atoi(c.flag("retry_time", "180"))
	if err != nil {
		return err
	}
	stops := c.flag("break_on_expected_content", "true") == "true"
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); {
		var text []byte
		text, err = afero.ReadFile(c.Box.Files, path)
		switch {
		case err != nil:
			fmt.Fprintf(c.Stdout, "Error reading file %s: %v, retrying\n", path, err)
		case stops && string(text) == newFile:
			fmt.Fprintf(c.Stdout, "content of file %q: %s\n", path, text)
			return nil
		default:
			fmt.Fprintf(c.Stdout, "content of file %q: %s\n", path, text)
		}
		if err == nil && stops {
			fmt.Fprintf(c.Stdout, "Unexpected content. Expected: %s. Retrying\n", newFile)
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
