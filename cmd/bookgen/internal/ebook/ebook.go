package ebook

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/crc32"
	"path"
	"strings"
	"text/template"
	"time"

	"github.com/google/uuid"

	"reconcile/cmd/bookgen/internal/site"
)

var (
	//go:embed style.css
	style []byte
	//go:embed pages
	pageFiles embed.FS
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"join": strings.Join, "split": strings.SplitAfter,
}).ParseFS(pageFiles, "pages/*"))

// fonts are those of the site, and what may be done with them.
var fonts = []string{
	"newsreader-text.woff2", "newsreader-italic.woff2", "newsreader-display.woff2", "newsreader-LICENSE.txt",
	"ibm-plex-mono-400-normal.woff2", "ibm-plex-mono-400-italic.woff2", "ibm-plex-mono-600-normal.woff2", "ibm-plex-mono-LICENSE.txt",
}

// modified is the time of every file. The same book has to be the same bytes, so no clock
// is asked. It is the first time that a zip file can tell.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// A file is one of the container, by its path from the package document.
type file struct {
	Path       string
	Properties string // as the package document names them
	content    []byte
}

// types are the media types of files, by their extensions.
var types = map[string]string{
	".xhtml": "application/xhtml+xml", ".css": "text/css", ".svg": "image/svg+xml",
	".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain",
}

// Type returns the media type of the file.
func (f file) Type() string { return types[path.Ext(f.Path)] }

// An epub is the book with all that its files say.
type epub struct {
	*site.Book
	Pages  []*page
	Breaks []place // where pages of paper would begin
	Cover  string  // its drawing, as XML
	Files  []file
	places site.Anchors
	err    error // the first
}

// Identifier returns the name that the book keeps, wherever it's published.
func (e *epub) Identifier() string {
	return "urn:uuid:" + cmp.Or(e.UUID, uuid.NewSHA1(uuid.Nil, []byte(e.Title)).String())
}

// Modified returns the day of the edition, so that who has an earlier one is told.
func (e *epub) Modified() string { return e.Day().Format(time.RFC3339) }

// EPUB returns the book as an EPUB 3.3.
func EPUB(b *site.Book) ([]byte, error) {
	e := &epub{Book: b}
	e.bind()
	for _, p := range e.Pages { // all are bound: the contents tell where everything lies in them
		e.add(p.File, p.properties, e.made(kinds[p.Kind].template, p))
	}
	if e.CoverPicture != nil {
		e.add("cover.png", "cover-image", e.CoverPicture)
	} else {
		e.add("cover.svg", "cover-image", e.made("cover.svg", e))
	}
	e.add("style.css", "", style)
	for _, name := range fonts {
		e.add("fonts/"+name, "", site.Assets()["assets/fonts/"+name])
	}
	for _, name := range e.texts(".png") {
		e.add(name, "", e.Texts[name])
	}
	document := e.made("package.opf", e) // names all files but itself and the container's own
	e.add("package.opf", "", document)
	e.add("../META-INF/container.xml", "", e.made("container.xml", e))
	if e.err != nil {
		return nil, e.err
	}
	return pack(e.Files)
}

func (e *epub) add(path, properties string, content []byte) {
	e.Files = append(e.Files, file{path, properties, content})
}

// made returns what a template makes.
func (e *epub) made(template string, data any) []byte {
	var content bytes.Buffer
	e.err = cmp.Or(e.err, templates.ExecuteTemplate(&content, template, data))
	return content.Bytes()
}

// pack returns the container. Its first file is uncompressed, with nothing before or
// after it, because e-readers tell an EPUB by these bytes.
func pack(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	is := []byte("application/epub+zip")
	size := uint64(len(is))
	to, err := w.CreateRaw(&zip.FileHeader{
		Name: "mimetype", Method: zip.Store, CRC32: crc32.ChecksumIEEE(is), CompressedSize64: size, UncompressedSize64: size,
	})
	if err == nil {
		_, err = to.Write(is)
	}
	for _, f := range files {
		if err == nil {
			to, err = w.CreateHeader(&zip.FileHeader{Name: path.Join("EPUB", f.Path), Method: zip.Deflate, Modified: modified})
		}
		if err == nil {
			_, err = to.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.Path, err)
		}
	}
	err = w.Close()
	return out.Bytes(), err
}
