//go:build linux

package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/distribution/reference"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/opencontainers/runtime-spec/specs-go"

	"reconcile/chapters/01-control-loop/kubelet"
)

// Fetched are images that others have made: from a registry, or from a folder
// in the form that OCI has for it.
type Fetched struct {
	// Folder is where they are kept, unpacked.
	Folder string
	// Layout is a folder with images. Without one a registry is asked.
	Layout string
	// Mirror is asked in the place of all registries: "127.0.0.1:5000".
	Mirror string
	// Way leads to registries; nil: the usual one.
	Way http.RoundTripper

	mu sync.Mutex // one is unpacked at a time
}

// Pull implements Images.
func (f *Fetched) Pull(ctx context.Context, asked string) (*Image, error) {
	refused := func(reason string) error {
		return &kubelet.PullError{Image: asked, Reason: reason}
	}
	ref, err := reference.ParseNormalizedNamed(asked)
	if err != nil {
		return nil, refused(fmt.Sprintf(
			"failed to parse image name %q: invalid reference format", asked))
	}
	full := reference.TagNameOnly(ref).String()
	found, err := f.find(ctx, asked, full)
	var answer *transport.Error
	switch {
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound,
		errors.Is(err, errNoImage):
		return nil, refused(notFound(full))
	case err != nil:
		return nil, refused(unresolved("Unknown", full, err.Error()))
	}
	image, err := f.unpacked(full, found)
	if err != nil {
		return nil, refused(fmt.Sprintf("rpc error: code = Unknown desc = "+
			"failed to pull and unpack image %q: %v", full, err))
	}
	return image, nil
}

// errNoImage says that a layout does not have an image of this name.
var errNoImage = errors.New("no such image")

// find returns an image, of which nothing but the manifest needs to be here yet.
func (f *Fetched) find(
	ctx context.Context, asked, full string,
) (v1.Image, error) {
	if f.Layout != "" {
		return findInLayout(f.Layout, asked, full)
	}
	var options []name.Option
	if f.Mirror != "" {
		_, path, _ := strings.Cut(full, "/")
		full, options = f.Mirror+"/"+path, []name.Option{name.Insecure}
	}
	ref, err := name.ParseReference(full, options...)
	if err != nil {
		return nil, err
	}
	way := f.Way
	if way == nil {
		way = remote.DefaultTransport
	}
	return remote.Image(ref, remote.WithContext(ctx),
		remote.WithPlatform(platform), remote.WithTransport(way))
}

// platform is what this machine runs.
var platform = v1.Platform{OS: "linux", Architecture: runtime.GOARCH}

// findInLayout returns the image of a folder that is called so in its index: by
// the name as it was asked for, or in full, or by its tag alone, as skopeo
// writes it.
func findInLayout(folder, asked, full string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	tag := full[strings.LastIndex(full, ":")+1:]
	for _, d := range manifest.Manifests {
		called := d.Annotations["org.opencontainers.image.ref.name"]
		if !slices.Contains([]string{asked, full, tag}, called) {
			continue
		}
		if d.MediaType.IsImage() {
			return index.Image(d.Digest)
		}
		return ofPlatform(index, d.Digest)
	}
	return nil, errNoImage
}

// ofPlatform returns this machine's image of several.
func ofPlatform(index v1.ImageIndex, digest v1.Hash) (v1.Image, error) {
	several, err := index.ImageIndex(digest)
	if err != nil {
		return nil, err
	}
	manifest, err := several.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range manifest.Manifests {
		if d.Platform != nil && d.Platform.Satisfies(platform) {
			return several.Image(d.Digest)
		}
	}
	return nil, errNoImage
}

// unpacked returns an image whose files are in a folder named after its digest.
// They are put in place all at once, so that half of them are never taken for
// the image.
func (f *Fetched) unpacked(full string, image v1.Image) (*Image, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sweepHalves(f.Folder)
	digest, err := image.Digest()
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	files := filepath.Join(f.Folder, digest.Hex)
	if _, err := os.Stat(files); errors.Is(err, os.ErrNotExist) {
		err = unpackAt(files, image)
		if err != nil {
			return nil, err
		}
	}
	return &Image{
		Name: full, ID: digest.String(),
		Entrypoint: config.Config.Entrypoint, Cmd: config.Config.Cmd,
		Env: config.Config.Env, WorkingDir: config.Config.WorkingDir,
		User: config.Config.User, StopSignal: config.Config.StopSignal,
		Root: func(dir string) ([]specs.Mount, error) {
			return nil, layOver(files, dir)
		},
		Release: takeAway,
	}, nil
}
