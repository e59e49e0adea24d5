package play

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed beginnings/*.scene gallery/*.scene
var scenes embed.FS

// Scene is one of them. What it prints is in Text.
type Scene struct {
	Name   string // "deployment"
	Title  string // "A Deployment of three, with a Service", or a question
	Answer string // a sentence or two; a beginning has none
	Text   string
	Begins string // the name of the scene that it goes on from; a beginning has none
}

// The reader's lines follow this one.
const typed = "\n# part: what the reader typed\n"

// beginnings are their names, as a page offers them.
var beginnings = []string{"three-nodes", "one-node", "deployment", "statefulset", "mysql", "taints"}

// Beginnings returns the scenes to begin with.
func Beginnings() []Scene {
	var all []Scene
	for _, name := range beginnings {
		all = append(all, read("beginnings/"+name+".scene"))
	}
	return all
}

// Gallery returns the scenes that answer questions, by their names.
func Gallery() []Scene {
	files, err := fs.Glob(scenes, "gallery/*.scene")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	var all []Scene
	for _, file := range files {
		s := read(file)
		for _, b := range Beginnings() {
			if above, _, _ := strings.Cut(s.Text, typed); played(above) == played(b.Text) {
				s.Begins = b.Name
			}
		}
		all = append(all, s)
	}
	return all
}

// played returns a scene without the comments that it begins with.
func played(text string) string { return text[strings.Index(text, "# nodes: "):] }

// read reads a scene that is embedded.
func read(file string) Scene {
	text, err := scenes.ReadFile(file)
	if err != nil {
		panic(err) // it is one of those above
	}
	head := strings.Split(string(text), "\n")
	s := Scene{Name: strings.TrimSuffix(path.Base(file), ".scene"), Title: strings.TrimPrefix(head[0], "# "), Text: string(text)}
	if answer, ok := strings.CutPrefix(head[1], "# "); ok && !strings.HasPrefix(answer, "nodes: ") {
		s.Answer = answer
	}
	return s
}

// manifests are those of chapters that a cluster begins with.
var manifests = []string{
	"03-rolling-update/manifests/nginx-deployment.yaml", "03-rolling-update/manifests/service.yaml",
	"05-storage/manifests/web.yaml",
	"07-mysql-cluster/manifests/mysql-configmap.yaml", "07-mysql-cluster/manifests/mysql-services.yaml",
	"07-mysql-cluster/manifests/mysql-statefulset.yaml",
}

// Manifests returns them by their names, from the folder of the chapters.
func Manifests(chapters string) (map[string]string, error) {
	all := map[string]string{}
	for _, file := range manifests {
		text, err := os.ReadFile(filepath.Join(chapters, filepath.FromSlash(file)))
		if err != nil {
			return nil, fmt.Errorf("what a cluster begins with: %w", err)
		}
		all[path.Base(file)] = string(text)
	}
	return all, nil
}
