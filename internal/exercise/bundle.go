package exercise

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/exercise/trial"
)

// A bundle is variants of a chapter that are compiled together: the functions
// of each stand beside the chapter's own, under other names, and those jump to
// them when an environment variable says so.
type bundle map[string]variant // by the suffix of their functions' names

const (
	chooser    = "variant__"         // the package's variable that the functions look at
	chooserEnv = "RECONCILE_VARIANT" // the variable that sets it, once
	asidePart  = "zz_variant"        // begins the names of the files that are added
)

// add takes a variant in, and returns the suffix of its functions' names, by
// which it is chosen and known.
func (b bundle) add(v variant) (suffix string) {
	suffix = fmt.Sprintf("__%d", len(b)+1)
	b[suffix] = v
	return suffix
}

// texts returns the files that differ from the chapter's and those that are
// added.
func (b bundle) texts() (map[string][]byte, error) {
	texts := make(map[string][]byte)
	before := make(map[string][]byte)
	jumps := make(map[string]map[string][]string)
	for suffix, v := range b {
		for path, edit := range v {
			if edit.before == nil {
				texts[path] = edit.after
				continue
			}
			text, err := cut.Aside(edit.after, edit.declarations, suffix)
			if err != nil {
				return nil, err
			}
			texts[aside(suffix, path)] = text
			clause, _, _ := bytes.Cut(text, []byte("\n"))
			texts[filepath.Join(filepath.Dir(path), asidePart+".go")] = fmt.Appendf(nil,
				"%s\n\nimport \"os\"\n\nvar %s = os.Getenv(%q)\n", clause, chooser, chooserEnv)
			if before[path] = edit.before; jumps[path] == nil {
				jumps[path] = make(map[string][]string)
			}
			for _, function := range edit.declarations {
				jumps[path][function] = append(jumps[path][function], suffix)
			}
		}
	}
	for path, suffixes := range jumps {
		text, err := cut.Jump(before[path], suffixes, chooser)
		if err != nil {
			return nil, err
		}
		texts[path] = text
	}
	return texts, nil
}

// aside names the file with a variant's functions out of one of the chapter's.
func aside(suffix, path string) string {
	return filepath.Join(filepath.Dir(path), asidePart+suffix+"_of_"+filepath.Base(path))
}

// blamed returns the variants whose files the compiler complains about.
func (b bundle) blamed(output []byte) []string {
	var suffixes []string
	for suffix := range b {
		if bytes.Contains(output, []byte(asidePart+suffix+"_of_")) {
			suffixes = append(suffixes, suffix)
		}
	}
	return suffixes
}

// compileTogether builds one binary for all claims that it can: linking one
// takes longer than running it. The others, and those that do not compile, are
// left to be built alone, which says why.
func (p *prover) compileTogether(ctx context.Context, claims []*claim) {
	joining := make(map[string]*claim)
	b := make(bundle)
	for _, c := range claims {
		if c.variant.joins() {
			joining[b.add(c.variant)] = c
		}
	}
	scratch, err := os.MkdirTemp(p.scratch, "claims-")
	if err != nil {
		return
	}
	path := filepath.Join(scratch, "chapter.test")
	for len(joining) > 0 && ctx.Err() == nil {
		texts, err := b.texts()
		if err != nil {
			return
		}
		output, err := p.compile(ctx, path, texts)
		if err == nil {
			break
		}
		blamed := b.blamed(output)
		if len(blamed) == 0 {
			return
		}
		for _, suffix := range blamed {
			delete(b, suffix)
			delete(joining, suffix)
		}
	}
	for suffix, c := range joining {
		c.binary, c.built = binary{dir: p.module.dir, path: path, choice: suffix}, ctx.Err() == nil
	}
}

// compileAlone builds a claim's variant in a folder of its own.
func (p *prover) compileAlone(ctx context.Context, c *claim) error {
	scratch, err := os.MkdirTemp(p.scratch, "claim-")
	if err != nil {
		return err
	}
	path := filepath.Join(scratch, "chapter.test")
	if output, err := p.compile(ctx, path, c.variant.texts()); err != nil {
		return c.problem("%s does not build:\n%s", c.about, indent(output))
	}
	c.binary, c.built = binary{dir: p.module.dir, path: path}, true
	return nil
}

func (p *prover) compile(ctx context.Context, path string, texts map[string][]byte) (output []byte, err error) {
	p.built.Add(1)
	return trial.Build(ctx, p.module.dir, path, texts)
}
