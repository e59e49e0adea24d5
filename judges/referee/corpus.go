package referee

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// written are the documents that were written for this. Of those in
// corpus/mutated, mutants are made.
//
//go:embed corpus
var written embed.FS

// file is a few documents that are asked for one after the other, in a namespace of
// their own.
type file struct {
	name      string
	documents []map[string]any
	mutated   bool
	talk      string // instead of documents
}

// corpus returns all files. What is of a kind that the lab does not serve is left
// out of others' files, and an error in our own.
func (m *match) corpus(opts Options) (files []file, err error) {
	for _, from := range []struct {
		files   fs.FS
		pattern string
		ours    bool
	}{
		{written, "corpus/mutated/*.yaml", true},
		{written, "corpus/*.yaml", true},
		{written, "corpus/talks/*.txt", true},
		{os.DirFS(opts.Chapters), "*/manifests/*.yaml", false},
		{os.DirFS(opts.API), "testdata/HEAD/*.json", false},
	} {
		names, err := fs.Glob(from.files, from.pattern)
		if err == nil && len(names) == 0 {
			err = fmt.Errorf("there is no %s", from.pattern)
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			f, err := m.read(from.files, name, from.ours)
			if err != nil {
				return nil, err
			}
			if len(f.documents) > 0 || f.talk != "" {
				files = append(files, f)
			}
		}
	}
	return files, nil
}

// read returns a file with what the lab serves of it.
func (m *match) read(files fs.FS, name string, ours bool) (file, error) {
	f := file{name: name, mutated: strings.HasPrefix(name, "corpus/mutated")}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return f, err
	}
	if filepath.Ext(name) == ".txt" {
		f.talk = string(text)
		return f, nil
	}
	all, err := documents(text)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	for _, doc := range all {
		if _, served := m.kinds[gvkOf(doc)]; served {
			f.documents = append(f.documents, doc)
		} else if ours {
			return f, fmt.Errorf("%s: the lab has no %s", name, gvkOf(doc))
		}
	}
	if filepath.Ext(name) == ".json" {
		for _, doc := range f.documents {
			asNew(doc)
		}
	}
	return f, nil
}

// documents returns those of a file of YAML, or JSON.
func documents(text []byte) (all []map[string]any, err error) {
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var doc map[string]any
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if doc != nil {
			all = append(all, doc)
		}
	}
}

// asNew makes of a fixture of k8s.io/api, in which all fields are set, one that a
// client could create: all that servers write into metadata goes.
func asNew(doc map[string]any) {
	obj := unstructured.Unstructured{Object: doc}
	labels, annotations := obj.GetLabels(), obj.GetAnnotations()
	doc["metadata"] = map[string]any{}
	obj.SetName("fixture")
	obj.SetLabels(labels)
	obj.SetAnnotations(annotations)
}

// mutants calls back with each field below a value in turn set to others, or
// gone; the value is whole again afterwards.
func mutants(in any, at string, call func(what string) error) error {
	try := func(key string, value any, set func(any), unset func()) error {
		if err := mutants(value, at+"."+key, call); err != nil {
			return err
		}
		for _, other := range []any{
			"", "Not_A_Name!", "other", "-1", "200%", int64(-1), int64(0), int64(70000), true,
			map[string]any{}, []any{}, map[string]any{"unknown": "field"},
		} {
			set(other)
			if err := call(fmt.Sprintf("%s.%s=%#v", at, key, other)); err != nil {
				return err
			}
		}
		unset()
		err := call(at + "." + key + " is gone")
		set(value)
		return err
	}
	switch in := in.(type) {
	case map[string]any:
		for _, key := range sortedKeys(in) {
			if at == "" && slices.Contains([]string{"apiVersion", "kind", "status"}, key) ||
				at == ".metadata" && key == "namespace" {
				continue
			}
			value := in[key]
			if err := try(key, value, func(v any) { in[key] = v }, func() { delete(in, key) }); err != nil {
				return err
			}
		}
	case []any:
		for i, value := range in {
			if err := try(fmt.Sprint(i), value, func(v any) { in[i] = v }, func() { in[i] = nil }); err != nil {
				return err
			}
		}
	}
	return nil
}
