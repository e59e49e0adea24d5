//go:build linux

package image

import (
	"archive/tar"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"reconcile/chapters/07-mysql-cluster/oci/host"
)

// unpackAt unpacks an image beside the place where it is to be, and moves it
// there when it is whole.
func unpackAt(files string, image v1.Image) error {
	if err := os.MkdirAll(filepath.Dir(files), 0o700); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(files), halfName)
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := unpack(half, image); err != nil {
		return err
	}
	return os.Rename(half, files)
}

// halfName is what the name of an image begins with that is not whole yet.
const halfName = "half-"

// sweepHalves removes what is left of images in a folder whose unpacking was
// killed. No other unpacks there now. A half that cannot be removed does no
// harm, and the next pull tries again.
func sweepHalves(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, halfName+"*"))
	for _, half := range left {
		_ = os.RemoveAll(half)
	}
}

// unpack puts the layers of an image one over the other into a folder.
func unpack(folder string, image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	if said := config.RootFS.DiffIDs; len(said) != len(layers) {
		return fmt.Errorf("the image has %d layers, and names %d",
			len(layers), len(said))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	u := &unpacking{
		root: root, folders: map[string]fs.FileMode{".": 0o755},
		owners: os.Geteuid() == 0 && !host.InUserNamespace(),
	}
	for i, layer := range layers {
		if err := u.layer(layer, config.RootFS.DiffIDs[i]); err != nil {
			return err
		}
	}
	return u.end()
}

// unpacking is an image that is being unpacked. All that a layer names is
// looked for in root, and no link leads out of that, whichever layer laid it.
type unpacking struct {
	root   *os.Root
	owners bool // we may give files to others
	// The modes are set at the end: one may forbid to write.
	folders map[string]fs.FileMode
	fresh   map[string]bool // what this layer has brought
}

// layer unpacks a layer, and refuses one whose content is not what the image
// says.
func (u *unpacking) layer(layer v1.Layer, want v1.Hash) error {
	content, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	defer content.Close()
	sum := sha256.New()
	all := io.TeeReader(content, sum)
	u.fresh = map[string]bool{}
	if err := u.entries(tar.NewReader(all)); err != nil {
		return fmt.Errorf("layer %s: %w", want, err)
	}
	if _, err := io.Copy(io.Discard, all); err != nil { // what follows the archive
		return fmt.Errorf("layer %s: %w", want, err)
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want.Hex {
		return fmt.Errorf("layer %s has another content: sha256:%s", want, got)
	}
	return nil
}

func (u *unpacking) entries(archive *tar.Reader) error {
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = u.entry(h, archive)
		}
		if err != nil && h != nil {
			err = fmt.Errorf("entry %q: %w", h.Name, err)
		}
		if err != nil {
			return err
		}
	}
}

// errOutside says that an entry is not for the image.
var errOutside = errors.New("leads out of the image")

// entry unpacks one thing, or has it take something of the layers below away
// (the image specification of OCI: layer.md, "Whiteouts").
func (u *unpacking) entry(h *tar.Header, content io.Reader) error {
	if !filepath.IsLocal(h.Name) {
		return errOutside
	}
	at := path.Clean(h.Name)
	folder, base := path.Split(at)
	folder = path.Clean(folder)
	if hidden, ok := strings.CutPrefix(base, ".wh."); ok {
		return u.hide(folder, hidden)
	}
	if at == "." {
		u.folders["."] = h.FileInfo().Mode()
		return nil
	}
	if err := u.root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	u.remember(at)
	if h.Typeflag == tar.TypeDir {
		return u.folder(at, h)
	}
	if err := u.root.RemoveAll(at); err != nil {
		return err
	}
	delete(u.folders, at)
	switch h.Typeflag {
	case tar.TypeReg:
		return u.file(at, h, content)
	case tar.TypeSymlink:
		if err := u.root.Symlink(h.Linkname, at); err != nil {
			return err
		}
		return u.own(at, h)
	case tar.TypeLink:
		if !filepath.IsLocal(h.Linkname) {
			return errOutside
		}
		return u.root.Link(path.Clean(h.Linkname), at)
	}
	return fmt.Errorf("is of the kind %q, a device or a pipe, and images have "+
		"no business with those", h.Typeflag)
}

// remember notes that a thing, and the folders it is in, are this layer's.
func (u *unpacking) remember(at string) {
	for ; at != "."; at = path.Dir(at) {
		u.fresh[at] = true
	}
}

// hide takes away what layers below have: one name in a folder, or, where that
// is .wh..opq, all names. It leaves what the same layer has brought.
func (u *unpacking) hide(folder, name string) error {
	if name == ".wh..opq" {
		return u.hideAll(folder)
	}
	if name == "" || name == "." || name == ".." {
		return errOutside
	}
	at := path.Join(folder, name)
	if !u.fresh[at] {
		return u.root.RemoveAll(at)
	}
	if is, err := u.root.Lstat(at); err != nil || !is.IsDir() {
		return err
	}
	return u.hideAll(at)
}

func (u *unpacking) hideAll(folder string) error {
	in, err := u.root.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	names, err := fs.ReadDir(in.FS(), ".")
	for _, entry := range names {
		at := path.Join(folder, entry.Name())
		switch {
		case !u.fresh[at]:
			err = errors.Join(err, u.root.RemoveAll(at))
		case entry.IsDir():
			err = errors.Join(err, u.hideAll(at))
		}
	}
	return err
}

// folder makes a folder, or changes the one that is there.
func (u *unpacking) folder(at string, h *tar.Header) error {
	was, err := u.root.Lstat(at)
	if err == nil && !was.IsDir() {
		err = u.root.Remove(at)
		was = nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if was == nil {
		if err := u.root.Mkdir(at, 0o755); err != nil {
			return err
		}
	}
	u.folders[at] = h.FileInfo().Mode()
	return u.own(at, h)
}

// file writes a file, which is not there: it was removed.
func (u *unpacking) file(at string, h *tar.Header, content io.Reader) error {
	file, err := u.root.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = u.own(at, h) // takes the set-user-ID bit away: before the mode
	}
	if err == nil {
		err = u.root.Chmod(at, h.FileInfo().Mode())
	}
	return err
}

// own gives a thing to whom it belongs in the image. Without being root we can
// give nothing away; all is ours then, and in the container, root's.
func (u *unpacking) own(at string, h *tar.Header) error {
	if !u.owners {
		return nil
	}
	return u.root.Lchown(at, h.Uid, h.Gid)
}

// end sets the modes of folders, the innermost first.
func (u *unpacking) end() error {
	all := slices.Sorted(maps.Keys(u.folders))
	slices.Reverse(all)
	for _, at := range all {
		is, err := u.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !is.IsDir() {
			continue // a later layer took it away
		}
		if err == nil {
			err = u.root.Chmod(at, u.folders[at])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
