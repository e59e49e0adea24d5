package build

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/play"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/cmd/bookgen/internal/weave"
	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

// Options say where the book and its cache are.
type Options struct {
	Root     string         // the folder of go.mod; errors begin with it
	URL      string         // where the whole site is served; empty if book.md says it
	Cache    string         // a folder; empty for none
	Progress io.Writer      // told about steps that take over a second
	Live     bool           // the whole site has the engine, by which its transcripts go on
	Packing  engine.Packing // of the engine
	Bindings []Binding      // published beside the whole site
	// Previews draws pictures for previews of links, which the whole site has if it knows
	// its address; nil for none.
	Previews func(context.Context, []site.Card) (map[string][]byte, error)
}

// DefaultCache returns the folder that keeps slow results, for
// every copy of the book.
func DefaultCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to keep the cache: %w", err)
	}
	return filepath.Join(dir, "reconcile"), nil
}

// Site returns the path of the folder with the pages that a clone of the book
// carries.
func (o Options) Site() string { return filepath.Join(o.Root, "site") }

// Public returns the path of the folder with the whole site, to be published.
func (o Options) Public() string { return filepath.Join(o.Root, "public") }

// Chapters returns the path of the folder with the chapters.
func (o Options) Chapters() string { return filepath.Join(o.Root, "chapters") }

// Courses returns the path of the folder with the courses, which may be missing.
func (o Options) Courses() string { return filepath.Join(o.Root, course.Folder) }

// Edition is a whole book, ready to be written.
type Edition struct {
	Book     *site.Book
	Files    map[string][]byte // by slash-separated path
	Carried  map[string][]byte // of them those that a clone carries, as it has them
	Counts   weave.Counts
	Words    int
	Chapters []string        // folders of the chapters that are written
	Measures []weave.Measure // of their pages
	Cores    []snippet.Core
	Closing  error // of the questions that chapters lack at their end
}

// Compose reads the chapters and renders every page. It writes nothing but the
// cache. All problems are reported together.
func (p *Press) Compose(ctx context.Context) (*Edition, error) {
	p.digests = nil // of code that may have changed
	return p.compose(ctx, true)
}

// Carry is Compose for the pages that a clone carries, which is done in half the
// time. A Compose that follows it has less left to do.
func (p *Press) Carry(ctx context.Context) (*Edition, error) {
	p.digests = nil
	return p.compose(ctx, false)
}

// compose renders every page or, unless it is to be whole, those that a clone
// carries.
func (p *Press) compose(ctx context.Context, whole bool) (*Edition, error) {
	p.woven.Bare = !whole
	woven, chapters, err := p.weave(ctx, &p.woven)
	if err != nil {
		return nil, err
	}
	edition := &Edition{Book: woven}
	for _, c := range chapters {
		edition.Counts = edition.Counts.Add(c.Counts())
		edition.Chapters = append(edition.Chapters, c.Dir)
		edition.Measures = append(edition.Measures, c.Measures()...)
		edition.Cores = append(edition.Cores, c.Measured())
		edition.Closing = source.Join(edition.Closing, c.Closing())
	}
	for _, c := range edition.Book.Chapters {
		for _, part := range c.Parts {
			edition.Words += part.Words
		}
	}
	if !whole {
		edition.Carried, err = p.pages.RenderClone(edition.Book)
		return edition, err
	}
	if p.Live {
		woven.Play = &site.Play{Beginnings: play.Beginnings(), Gallery: play.Gallery()}
	}
	woven.Previews = p.Previews != nil && woven.URL != ""
	edition.Files, err = p.pages.Render(edition.Book)
	if err != nil {
		return nil, err
	}
	edition.Carried, err = p.pages.RenderClone(edition.Book)
	if err == nil && woven.Previews {
		err = p.preview(ctx, edition)
	}
	if err == nil && len(p.Bindings) > 0 { // a clone carries none of them
		err = p.bind(ctx, edition)
	}
	if err == nil && p.Live {
		err = p.enliven(ctx, edition.Files)
	}
	return edition, err
}

// Leaved weaves the book to be bound, and renders no page of it.
func (p *Press) Leaved(ctx context.Context) (*site.Book, error) {
	p.digests = nil
	woven, _, err := p.weave(ctx, &weave.Memory{Bare: true})
	return woven, err
}

// weave reads the chapters, and weaves the book.
func (p *Press) weave(ctx context.Context, memory *weave.Memory) (*site.Book, []*weave.Chapter, error) {
	volume, err := book.Load(p.Chapters())
	if volume == nil {
		return nil, nil, err
	}
	volume.URL = cmp.Or(p.URL, volume.URL)
	chapters, readErr := p.readChapters(ctx, volume)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	module, moduleErr := modulePath(p.Root)
	if moduleErr != nil {
		return nil, nil, moduleErr
	}
	woven, weaveErr := memory.Weave(volume, module, chapters)
	return woven, chapters, source.Join(err, readErr, weaveErr, ctx.Err())
}

// readChapters reads the chapters that are written. A chapter with problems is
// among the results, too, if any of it can be woven.
func (p *Press) readChapters(ctx context.Context, volume *book.Book) ([]*weave.Chapter, error) {
	loader, err := highlight.NewLoader(p.types, p.Cache)
	if err != nil {
		return nil, err
	}
	maps.Copy(loader.Digests, p.digests)
	p.digests = loader.Digests
	var chapters []*weave.Chapter
	var errs []error
	for _, c := range volume.Chapters {
		if len(c.Parts) == 0 || ctx.Err() != nil {
			continue
		}
		chapter, err := p.readChapter(ctx, loader, c)
		errs = append(errs, err)
		if chapter != nil {
			chapters = append(chapters, chapter)
		}
	}
	return chapters, source.Join(errs...)
}

func (p *Press) readChapter(ctx context.Context, loader *highlight.Loader, c *book.Chapter) (*weave.Chapter, error) {
	code, exercises, err := p.readCode(ctx, loader, c)
	if code == nil {
		return nil, err
	}
	chapter, weaveErr := weave.Read(c, code, exercises)
	return chapter, source.Join(err, weaveErr)
}

func modulePath(root string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	return modfile.ModulePath(content), nil
}
