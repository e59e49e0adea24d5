package pack_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/workshop/pack"
)

// aDesk is a book beside which its teacher has left something.
func aDesk(t *testing.T) (pack.Options, *strings.Builder) {
	t.Helper()
	o, said := aBook(t), &strings.Builder{}
	o.Pages, o.Tell = nil, said
	write(t, o.Root, ".env", "TOKEN=secret")
	write(t, o.Root, "reports/ada.json", "{}")
	write(t, o.Root, "reports/barend.json", "{}")
	return o, said
}

func TestWhatGitDoesNotTrackIsListedAndLeftOut(t *testing.T) {
	o, said := aDesk(t)
	write(t, o.Root, "chapters/README.md", "changed")
	_, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, said.String(), "left out, since git doesn't track it: .env and reports/ (--with PATH packs it)\n")
	assert.NoFileExists(t, filepath.Join(o.Folder, ".env"))
	assert.NoDirExists(t, filepath.Join(o.Folder, "reports"))
	text, err := os.ReadFile(filepath.Join(o.Folder, "chapters", "README.md"))
	require.NoError(t, err)
	assert.Equal(t, "changed", string(text), "it is packed as it is in the tree")
}

func TestWhatIsLeftOutIsListedUpToABound(t *testing.T) {
	o, said := aDesk(t)
	for i := range 30 {
		write(t, o.Root, fmt.Sprintf("note-%02d", i), "")
	}
	_, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, said.String(), "note-08 and 22 more (--with")
}

func TestWithPacksAFileOrAFolderThatGitDoesNotTrack(t *testing.T) {
	o, said := aDesk(t)
	o.With = []string{"reports", filepath.Join("reports", "ada.json")}
	_, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(o.Folder, "reports", "barend.json"))
	assert.Contains(t, said.String(), "git doesn't track it: .env (--with")

	o.Folder += "-2"
	o.With = []string{"mine"}
	_, err = pack.Pack(t.Context(), o)
	assert.EqualError(t, err, "--with mine: nothing is there that git doesn't track; what it tracks is packed anyway, and what .gitignore names is not")
}

func TestALinkLeadsToWhatIsPackedOrIsRefused(t *testing.T) {
	key := filepath.Join(t.TempDir(), "id_rsa")
	require.NoError(t, os.WriteFile(key, []byte("a key"), 0o600))
	for to, refused := range map[string]string{
		key:                  "mykey is a link that leads to ",
		".git/config":        "mykey is a link that leads to ",
		".env":               "mykey is a link that leads to ",
		"nowhere":            "mykey is a link that leads nowhere",
		"chapters/README.md": "",
	} {
		o, _ := aDesk(t)
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(o.Root, "mykey")); err != nil {
			t.Skip("no links here: ", err)
		}
		git(t, o.Root, "add", "mykey")
		_, err := pack.Pack(t.Context(), o)
		if refused == "" {
			require.NoError(t, err)
			text, err := fs.ReadFile(os.DirFS(o.Folder), "mykey")
			require.NoError(t, err)
			assert.Equal(t, "text", string(text))
			continue
		}
		assert.ErrorContains(t, err, refused, to)
		assert.NoDirExists(t, o.Folder)
	}
}

func TestAFolderThatALinkHasReplacedIsRefusedAsWell(t *testing.T) {
	o, _ := aDesk(t)
	elsewhere := filepath.Join(t.TempDir(), "fonts")
	require.NoError(t, os.Rename(filepath.Join(o.Root, "fonts"), elsewhere))
	if err := os.Symlink(elsewhere, filepath.Join(o.Root, "fonts")); err != nil {
		t.Skip("no links here: ", err)
	}
	_, err := pack.Pack(t.Context(), o)
	assert.ErrorContains(t, err, "fonts/LICENSE is a link that leads to ")
}

func TestAPartThatIsThereIsNotRemoved(t *testing.T) {
	o, _ := aDesk(t)
	write(t, o.Folder+".part", "photo.jpg", "")
	_, err := pack.Pack(t.Context(), o)
	assert.ErrorContains(t, err, "usb.part is there: remove it if it is left of a pack that was cut off, or name another folder with -o")
	assert.FileExists(t, filepath.Join(o.Folder+".part", "photo.jpg"))
}
