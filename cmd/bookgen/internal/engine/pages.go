package engine

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed web
var web embed.FS

// AddTo adds the module to the files of a site, and to its pages what asks for it: a
// prompt below each transcript, and a script that loads the rest when the prompt is
// used. chapters is the folder of the chapters.
func (m *Module) AddTo(files map[string][]byte, chapters string) error {
	for name, page := range files {
		if path.Ext(name) == ".html" {
			files[name] = withPrompts(page, assetsOf(name))
		}
	}
	for part, name := range map[string]string{
		"begin.js": "live-begin.js", "prompt.css": "live-prompt.css", "live.css": "live.css",
		"worker.js": "live-worker.js", "files.js": "live-files.js", "player.js": "player.js",
	} {
		text, err := web.ReadFile("web/" + part)
		if err != nil {
			return err
		}
		files["assets/"+name] = text
	}
	script, err := script("engine", m.addedTo(files), "lines.js", "completion.js", "editor.js", "manifests.js", "output.js", "live.js")
	if err != nil {
		return err
	}
	files["assets/live.js"] = script
	files["assets/live-go.js"] = m.support
	files["assets/live-licences.txt"] = m.notices
	return addChapters(files, chapters)
}

// addedTo adds the packed module to the files of a site, and returns what a page has to
// know of it.
func (m *Module) addedTo(files map[string][]byte) map[string]any {
	files["assets/"+m.Name+".br"] = m.Brotli
	files["assets/"+m.Name+".gz"] = m.Gzip
	return map[string]any{"name": m.Name, "raw": m.Raw, "gzip": len(m.Gzip), "brotli": len(m.Brotli)}
}

// script joins scripts, which find a value below a name.
func script(name string, value any, parts ...string) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	all := fmt.Appendf(nil, "const %s = %s;\n", name, text)
	for _, part := range parts {
		text, err := web.ReadFile("web/" + part)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
}

// asking gives a page a style and a script, which are at once where it is read.
func asking(page []byte, assets, style, script string) []byte {
	asks := fmt.Sprintf("<link rel=stylesheet href=%s%s>\n<script defer src=%s%s></script>\n", assets, style, assets, script)
	return bytes.Replace(page, []byte(endOfHead), []byte(asks+endOfHead), 1)
}

// assetsOf returns the way from a page to the assets.
func assetsOf(name string) string { return strings.Repeat("../", strings.Count(name, "/")) + "assets/" }

// What the markup of a transcript begins and ends with.
const (
	transcript    = `<figure class="output scene`
	endOfPrinted  = `</samp></pre></figure>`
	endOfHead     = `</head>`
	promptOfScene = `<form class=live><label>$ <input aria-label="What happens next?" placeholder="kubectl get pods"></label></form>`
)

// withPrompts puts a prompt below each transcript of a page. A page without one is
// as it was.
func withPrompts(page []byte, assets string) []byte {
	var out bytes.Buffer
	prompts := 0
	for {
		before, after, found := bytes.Cut(page, []byte(transcript))
		out.Write(before)
		if !found {
			break
		}
		printed, rest, _ := bytes.Cut(after, []byte(endOfPrinted))
		out.WriteString(transcript)
		out.Write(printed)
		out.WriteString(strings.Replace(endOfPrinted, "</figure>", promptOfScene+"</figure>", 1))
		page = rest
		prompts++
	}
	if prompts == 0 {
		return out.Bytes()
	}
	return asking(out.Bytes(), assets, "live-prompt.css", "live-begin.js")
}

// addChapters adds for each chapter what its scenes are played from.
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
