package engine

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/codemirror"
	"reconcile/cmd/bookgen/internal/play"
	"reconcile/cmd/bookgen/internal/site"
)

//go:embed web
var web embed.FS

// AddTo adds the module to the files of a site. The script and the style of its pages get
// only a prompt below each transcript; using a prompt loads the rest. chapters is the
// folder of the chapters.
func (m *Module) AddTo(files map[string][]byte, chapters string) error {
	for part, name := range map[string]string{
		"live.css": "live.css", "play.css": "play.css", "worker.js": "live-worker.js",
	} {
		text, err := web.ReadFile("web/" + part)
		if err != nil {
			return err
		}
		files["assets/"+name] = text
	}
	if err := asked(files, "prompt.css", "begin.js"); err != nil {
		return err
	}
	script, err := script("engine", m.AddedTo(files), "lines.js", "completion.js", "editor.js", "manifests.js", "output.js", "replay.js", "inside.js", "live.js")
	if err != nil {
		return err
	}
	files["assets/live.js"] = script
	if files["assets/player.js"], err = joined("store.js", "player.js"); err != nil {
		return err
	}
	if files["assets/play.js"], err = joined("link.js", "share.js", "problems.js", "drafts.js", "play-files.js", "play.js"); err != nil {
		return err
	}
	codemirror.AddTo(files)
	files["assets/live-licences.txt"] = m.notices
	return errors.Join(m.AddSupport(files), addChapters(files, chapters), addPlay(files, chapters))
}

// addPlay adds the scenes that the page of an empty cluster begins with.
func addPlay(files map[string][]byte, chapters string) error {
	scenes := map[string]string{}
	for _, s := range slices.Concat(play.Beginnings(), play.Gallery()) {
		scenes[s.Name+".scene"] = s.Text
	}
	manifests, err := play.Manifests(chapters)
	if err == nil {
		files["assets/live-play.json"], err = json.Marshal(map[string]map[string]string{"scenes": scenes, "manifests": manifests})
	}
	return err
}

// AddSupport adds to the files of a site what a worker needs to run a module.
func (m *Module) AddSupport(files map[string][]byte) error {
	files["assets/live-go.js"] = m.support
	var err, wrong error
	files["assets/live-files.js"], err = joined("files.js")
	files["assets/live-fetch.js"], wrong = joined("store.js", "fetch.js")
	return errors.Join(err, wrong)
}

// Size is what a page has to know of what it can fetch: how many bytes it has, unpacked
// and packed, and where the data go that stand behind a module.
type Size struct {
	Name   string `json:"name"`
	Raw    int    `json:"raw"`
	Code   int    `json:"code,omitempty"`
	Data   []span `json:"data,omitempty"`
	Gzip   int    `json:"gzip"`
	Brotli int    `json:"brotli"`
}

// AddedTo adds the packed module to the files of a site.
func (m *Module) AddedTo(files map[string][]byte) Size {
	if m.Brotli != nil {
		files["assets/"+m.Name+".br"] = m.Brotli
	}
	files["assets/"+m.Name+".gz"] = m.Gzip
	return Size{m.Name, m.Raw, m.code, m.data, len(m.Gzip), len(m.Brotli)}
}

// script joins scripts, which find a value below a name.
func script(name string, value any, parts ...string) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	all, err := joined(parts...)
	return slices.Concat(fmt.Appendf(nil, "const %s = %s;\n", name, text), all), err
}

// joined joins scripts.
func joined(parts ...string) (all []byte, err error) {
	for _, part := range parts {
		text, err := web.ReadFile("web/" + part)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
}

// asked adds a script and a style to all pages that can have transcripts and sliders.
func asked(files map[string][]byte, style, script string) error {
	for name, part := range map[string]string{
		"assets/book.css": style, "assets/book.js": script, "assets/slides.js": script,
	} {
		text, err := web.ReadFile("web/" + part)
		if err == nil {
			text, err = site.Minified(path.Ext(part), text)
		}
		if err != nil {
			return err
		}
		files[name] = slices.Concat(files[name], []byte("\n"), text)
	}
	return nil
}

// addChapters adds the scenes of each chapter, and the files that playing them
// needs.
func addChapters(files map[string][]byte, chapters string) error {
	folders, err := filepath.Glob(filepath.Join(chapters, "*", "testdata"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		chapter := filepath.Dir(folder)
		scenes, err := texts(os.DirFS(folder), ".scene")
		if err != nil {
			return err
		}
		if len(scenes) == 0 {
			continue
		}
		manifests, err := texts(os.DirFS(filepath.Join(chapter, "manifests")), "")
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]map[string]string{"scenes": scenes, "manifests": manifests})
		if err != nil {
			return err
		}
		files["assets/live-"+filepath.Base(chapter)+".json"] = text
	}
	return nil
}

// texts returns the files of a folder with an extension, by their paths; of a
// folder that is not there, none.
func texts(folder fs.FS, ext string) (map[string]string, error) {
	found := map[string]string{}
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == "." && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil, entry.IsDir(), !strings.HasSuffix(name, ext):
			return err
		}
		text, err := fs.ReadFile(folder, name)
		found[name] = string(text)
		return err
	})
	return found, err
}
