//go:build linux

package image_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// ociimgEntry is a line of a layer: "etc/ 755", "etc/passwd = text",
// "bin -> usr/bin", "etc/shadow => etc/passwd" for a hard link, "dev/sda b".
func ociimgEntry(line string) (h tar.Header, text string) {
	h.Mode = 0o644
	if at, to, ok := strings.Cut(line, " => "); ok {
		h.Name, h.Linkname, h.Typeflag = at, to, tar.TypeLink
	} else if at, to, ok := strings.Cut(line, " -> "); ok {
		h.Name, h.Linkname, h.Typeflag = at, to, tar.TypeSymlink
	} else if at, to, ok := strings.Cut(line, " = "); ok {
		h.Name, text, h.Typeflag = at, to, tar.TypeReg
		h.Size = int64(len(text))
	} else if at, mode, ok := strings.Cut(line, "/ "); ok {
		h.Name, h.Typeflag = at+"/", tar.TypeDir
		fmt.Sscanf(mode, "%o", &h.Mode)
	} else if at, kind, ok := strings.Cut(line, " "); ok {
		h.Name, h.Typeflag = at, map[string]byte{
			"b": tar.TypeBlock, "c": tar.TypeChar, "p": tar.TypeFifo,
			"setuid": tar.TypeReg}[kind]
		if kind == "setuid" {
			h.Mode, h.Uid, h.Gid = 0o4755, 12, 34
		}
	}
	return h, text
}

func ociimgLayer(t *testing.T, lines ...string) v1.Layer {
	var content bytes.Buffer
	archive := tar.NewWriter(&content)
	for _, line := range lines {
		h, text := ociimgEntry(line)
		require.NoError(t, archive.WriteHeader(&h), line)
		_, err := io.WriteString(archive, text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content.Bytes())), nil
	})
	require.NoError(t, err)
	return layer
}

func ociimgImage(t *testing.T, layers ...v1.Layer) v1.Image {
	made, err := mutate.AppendLayers(empty.Image, layers...)
	require.NoError(t, err)
	made, err = mutate.Config(made, v1.Config{
		Entrypoint: []string{"/entry"}, Cmd: []string{"serve"},
		Env: []string{"A=1"}, WorkingDir: "/srv", User: "27", StopSignal: "SIGINT",
	})
	require.NoError(t, err)
	return made
}

// ociimgRegistry serves an image as library/one:1 from this machine.
func ociimgRegistry(t *testing.T, made v1.Image) string {
	server := httptest.NewServer(registry.New(
		registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	ref, err := name.ParseReference(address+"/library/one:1", name.Insecure)
	require.NoError(t, err)
	require.NoError(t, remote.Write(ref, made))
	return address
}

// ociimgLaid is the root file system of an image, as a container sees it.
func ociimgLaid(t *testing.T, made *image.Image) string {
	dir := filepath.Join(t.TempDir(), "rootfs")
	require.NoError(t, os.Mkdir(dir, 0o755))
	mounts, err := made.Root(dir)
	require.NoError(t, err)
	assert.Empty(t, mounts)
	t.Cleanup(func() { assert.NoError(t, made.Release(dir)) })
	return dir
}

// ociimgPull has the layers pulled as one:1, and returns what is in the image.
func ociimgPull(t *testing.T, layers ...v1.Layer) (string, error) {
	f := &image.Fetched{
		Folder: t.TempDir(), Mirror: ociimgRegistry(t, ociimgImage(t, layers...))}
	made, err := f.Pull(context.Background(), "one:1")
	if err != nil {
		left, readErr := os.ReadDir(f.Folder)
		require.NoError(t, readErr)
		assert.Empty(t, left, "half an image stayed")
		return "", err
	}
	return ociimgLaid(t, made), nil
}

// ociimgList is what is in a folder: "bin -> usr/bin etc/ etc/passwd=text".
func ociimgList(t *testing.T, dir string) string {
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(
		p string, d fs.DirEntry, err error) error {
		at, _ := filepath.Rel(dir, p)
		switch {
		case err != nil || at == ".":
			return err
		case d.Type() == fs.ModeSymlink:
			to, err := os.Readlink(p)
			all = append(all, at+"->"+to)
			return err
		case d.IsDir():
			all = append(all, at+"/")
			return nil
		}
		text, err := os.ReadFile(p)
		all = append(all, at+"="+string(text))
		return err
	}))
	return strings.Join(all, " ")
}

func TestAnImageOfARegistryIsItsLayersOneOverTheOther(t *testing.T) {
	for name, one := range map[string]struct {
		layers [][]string
		want   string
	}{
		"a file over a file": {
			[][]string{{"etc/ 755", "etc/a = old", "b = b"}, {"etc/a = new"}},
			"b=b etc/ etc/a=new"},
		"a whiteout": {
			[][]string{{"etc/ 755", "etc/a = a", "etc/b = b"}, {"etc/.wh.a = "}},
			"etc/ etc/b=b"},
		"a whiteout of a folder": {
			[][]string{{"etc/ 755", "etc/a = a"}, {".wh.etc = "}}, ""},
		"an opaque folder": {
			[][]string{{"d/ 755", "d/a = a", "d/sub/ 755", "d/sub/x = x"},
				{"d/sub/y = y", "d/.wh..wh..opq = ", "d/b = b"}},
			"d/ d/b=b d/sub/ d/sub/y=y"},
		"a whiteout beside what the layer brings": {
			[][]string{{"d/ 755", "d/a = a"}, {"d/ 755", "d/b = b", ".wh.d = "}},
			"d/ d/b=b"},
		"a whiteout of a file that the layer brings": {
			[][]string{{"a = old"}, {"a = new", ".wh.a = "}}, "a=new"},
		"a file where a folder was": {
			[][]string{{"d/ 755", "d/a = a"}, {"d = d"}}, "d=d"},
		"a folder where a link was": {
			[][]string{{"d -> /etc"}, {"d/ 755", "d/a = a"}}, "d/ d/a=a"},
		"a file where a link out of the image was": {
			[][]string{{"a -> /etc/passwd"}, {"a = a"}}, "a=a"},
		"links": {
			[][]string{{"usr/bin/ 755", "bin -> usr/bin", "bin/sh = sh",
				"usr/bin/ash => usr/bin/sh", "run -> /var/run"}},
			"bin->usr/bin run->/var/run usr/ usr/bin/ usr/bin/ash=sh usr/bin/sh=sh"},
		"a folder that nobody may write": {
			[][]string{{"d/ 555", "d/a = a"}, {"d/b = b"}}, "d/ d/a=a d/b=b"},
	} {
		t.Run(name, func(t *testing.T) {
			var layers []v1.Layer
			for _, lines := range one.layers {
				layers = append(layers, ociimgLayer(t, lines...))
			}
			dir, err := ociimgPull(t, layers...)
			require.NoError(t, err)
			assert.Equal(t, one.want, ociimgList(t, dir))
		})
	}
}

func TestALayerThatLeadsOutOfItsImageIsRefused(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "mine"), []byte("mine"), 0o644))
	for name, one := range map[string]struct {
		layers [][]string
		want   string // in the error
	}{
		"upwards":            {[][]string{{"../x = x"}}, `entry "../x": leads out of the image`},
		"upwards, later":     {[][]string{{"a/../../x = x"}}, `leads out of the image`},
		"absolute":           {[][]string{{outside + "/x = x"}}, `leads out of the image`},
		"a whiteout upwards": {[][]string{{"../.wh.mine = "}}, `leads out of the image`},
		"a whiteout of what is above": {[][]string{{"a/ 755", "a/.wh... = "}},
			`entry "a/.wh...": leads out of the image`},
		"through a link of an earlier entry": {
			[][]string{{"l -> " + outside, "l/x = x"}}, `entry "l/x": `},
		"through a link of an earlier layer": {
			[][]string{{"l -> " + outside}, {"l/x = x"}}, `entry "l/x": `},
		"through a link upwards": {
			[][]string{{"a/b/ 755", "a/b/l -> ../../../../../.." + outside, "a/b/l/x = x"}},
			`entry "a/b/l/x": `},
		"through a link to a link": {
			[][]string{{"one -> " + outside, "two -> one", "two/x = x"}}, `entry "two/x": `},
		"a folder through a link": {
			[][]string{{"l -> " + outside, "l/sub/ 777"}}, `entry "l/sub/": `},
		"a whiteout through a link": {
			[][]string{{"l -> " + outside}, {"l/.wh.mine = "}}, `entry "l/.wh.mine": `},
		"an opaque folder through a link": {
			[][]string{{"l -> " + outside}, {"l/.wh..wh..opq = "}},
			`entry "l/.wh..wh..opq": `},
		"a hard link upwards": {
			[][]string{{"x => ../mine"}}, `entry "x": leads out of the image`},
		"a hard link to something absolute": {
			[][]string{{"x => " + outside + "/mine"}}, `entry "x": leads out of the image`},
		"a hard link through a link": {
			[][]string{{"l -> " + outside, "x => l/mine"}}, `entry "x": `},
		"a disk":   {[][]string{{"sda b"}}, `entry "sda": is of the kind '4', a device`},
		"a device": {[][]string{{"mem c"}}, `entry "mem": is of the kind '3', a device`},
		"a pipe":   {[][]string{{"pipe p"}}, `entry "pipe": is of the kind '6', a device or a pipe`},
	} {
		t.Run(name, func(t *testing.T) {
			var layers []v1.Layer
			for _, lines := range one.layers {
				layers = append(layers, ociimgLayer(t, lines...))
			}
			_, err := ociimgPull(t, layers...)
			var pull *kubelet.PullError
			require.ErrorAs(t, err, &pull)
			assert.Contains(t, pull.Reason, one.want)
			assert.Equal(t, "mine=mine", ociimgList(t, outside), "it was reached")
		})
	}
}

// A hard link to a link is the link, and what is written there takes its place.
func TestAHardLinkToALinkIsNotAWayOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o644))
	dir, err := ociimgPull(t, ociimgLayer(t,
		"l -> "+outside, "x => l", "x = theirs"))
	require.NoError(t, err)
	assert.Equal(t, "l->"+outside+" x=theirs", ociimgList(t, dir))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

func TestModesAndOwnersAreThoseOfTheLayer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	dir, err := ociimgPull(t, ociimgLayer(t, "tmp/ 1777", "su setuid", "usr/bin/sh = sh"))
	require.NoError(t, err)
	unsaid, err := os.Stat(filepath.Join(dir, "usr/bin"))
	require.NoError(t, err)
	assert.Equal(t, fs.ModeDir|0o755, unsaid.Mode(), "of which the layer says nothing")
	su, err := os.Stat(filepath.Join(dir, "su"))
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSetuid|0o755, su.Mode())
	assert.Equal(t, uint32(12), su.Sys().(*syscall.Stat_t).Uid)
	assert.Equal(t, uint32(34), su.Sys().(*syscall.Stat_t).Gid)
	tmp, err := os.Stat(filepath.Join(dir, "tmp"))
	require.NoError(t, err)
	assert.Equal(t, fs.ModeDir|fs.ModeSticky|0o777, tmp.Mode())
}

func TestAnImageThatDoesNotSayWhatItsLayersAreIsRefused(t *testing.T) {
	made := ociimgImage(t, ociimgLayer(t, "a = a"), ociimgLayer(t, "b = b"))
	config, err := made.ConfigFile()
	require.NoError(t, err)
	config = config.DeepCopy()
	config.RootFS.DiffIDs = config.RootFS.DiffIDs[:1]
	made, err = mutate.ConfigFile(made, config)
	require.NoError(t, err)
	f := &image.Fetched{Folder: t.TempDir(), Mirror: ociimgRegistry(t, made)}
	_, err = f.Pull(t.Context(), "one:1")
	assert.ErrorContains(t, err, "the image has 2 layers, and names 1")
}

func TestAnImageWithoutItsConfigIsRefused(t *testing.T) {
	folder := t.TempDir()
	path, err := layout.Write(folder, empty.Index)
	require.NoError(t, err)
	made := ociimgImage(t, ociimgLayer(t, "a = a"))
	require.NoError(t, path.AppendImage(made, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": "docker.io/library/one:1"})))
	config, err := made.ConfigName()
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(folder, "blobs/sha256", config.Hex)))
	f := &image.Fetched{Folder: t.TempDir(), Layout: folder}
	_, err = f.Pull(t.Context(), "one:1")
	assert.ErrorContains(t, err, config.Hex+": no such file or directory")
}

func TestAnImageIsKeptByItsDigestAndWrittenByNobody(t *testing.T) {
	address := ociimgRegistry(t, ociimgImage(t, ociimgLayer(t, "a = a")))
	f := &image.Fetched{Folder: t.TempDir(), Mirror: address}
	// What a kill in the midst of it leaves is not taken for an image.
	killed := func(name string) {
		deep := filepath.Join(f.Folder, name, "usr", "lib")
		require.NoError(t, os.MkdirAll(deep, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(deep, "a"), []byte("half"), 0o644))
	}
	killed("half-1")
	one, err := f.Pull(t.Context(), "one:1")
	require.NoError(t, err)
	assert.Equal(t, "docker.io/library/one:1", one.Name)
	assert.Equal(t, []string{"/entry"}, one.Entrypoint)
	assert.Equal(t, []string{"serve"}, one.Cmd)
	assert.Equal(t, "27 SIGINT /srv A=1", strings.Join(append([]string{
		one.User, one.StopSignal, one.WorkingDir}, one.Env...), " "))

	first := ociimgLaid(t, one)
	require.NoError(t, os.WriteFile(filepath.Join(first, "a"), []byte("changed"), 0o644))
	killed("half-2")
	f = &image.Fetched{Folder: f.Folder, Mirror: address} // the next start
	again, err := f.Pull(t.Context(), "one:1")
	require.NoError(t, err)
	assert.Equal(t, "a=a", ociimgList(t, ociimgLaid(t, again)))
	assert.Equal(t, one.ID, again.ID)
	kept, err := os.ReadDir(f.Folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range kept {
		names = append(names, entry.Name())
	}
	assert.Equal(t, []string{strings.TrimPrefix(one.ID, "sha256:")}, names)
}

func TestATagThatARegistryDoesNotHaveIsSaidInContainerdsWords(t *testing.T) {
	address := ociimgRegistry(t, ociimgImage(t))
	f := &image.Fetched{Folder: t.TempDir(), Mirror: address}
	_, err := f.Pull(t.Context(), "one:2")
	assert.EqualError(t, err, `failed to pull image "one:2": rpc error: code = `+
		`NotFound desc = failed to pull and unpack image `+
		`"docker.io/library/one:2": failed to resolve reference `+
		`"docker.io/library/one:2": docker.io/library/one:2: not found`)
}

func TestAFolderOfImagesNeedsNoRegistry(t *testing.T) {
	folder := t.TempDir()
	path, err := layout.Write(folder, empty.Index)
	require.NoError(t, err)
	require.NoError(t, path.AppendImage(ociimgImage(t, ociimgLayer(t, "a = a")),
		layout.WithAnnotations(map[string]string{
			"org.opencontainers.image.ref.name": "docker.io/library/one:1"})))
	f := &image.Fetched{Folder: t.TempDir(), Layout: folder}
	made, err := f.Pull(t.Context(), "one:1")
	require.NoError(t, err)
	assert.Equal(t, "a=a", ociimgList(t, ociimgLaid(t, made)))
	_, err = f.Pull(t.Context(), "one:2")
	assert.ErrorContains(t, err, "docker.io/library/one:2: not found")
}

// The colon of a port is not that of the tag.
func TestAFolderHasImagesOfARegistryWithAPort(t *testing.T) {
	folder := t.TempDir()
	path, err := layout.Write(folder, empty.Index)
	require.NoError(t, err)
	require.NoError(t, path.AppendImage(ociimgImage(t, ociimgLayer(t, "a = a")),
		layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "1"})))
	f := &image.Fetched{Folder: t.TempDir(), Layout: folder}
	_, err = f.Pull(t.Context(), "example.com:5000/one:1")
	assert.NoError(t, err)
}

func TestALayerWithAnotherContentIsRefused(t *testing.T) {
	folder := t.TempDir()
	path, err := layout.Write(folder, empty.Index)
	require.NoError(t, err)
	good, bad := ociimgLayer(t, "a = good"), ociimgLayer(t, "a = evil")
	made := ociimgImage(t, good)
	require.NoError(t, path.AppendImage(made,
		layout.WithAnnotations(map[string]string{
			"org.opencontainers.image.ref.name": "1"})))
	digest, err := good.Digest()
	require.NoError(t, err)
	evil, err := bad.Compressed()
	require.NoError(t, err)
	content, err := io.ReadAll(evil)
	require.NoError(t, err)
	blob := filepath.Join(folder, "blobs/sha256", digest.Hex)
	require.NoError(t, os.Remove(blob))
	require.NoError(t, os.WriteFile(blob, content, 0o644))
	f := &image.Fetched{Folder: t.TempDir(), Layout: folder}
	_, err = f.Pull(t.Context(), "one:1")
	assert.ErrorContains(t, err, "has another content")
}
