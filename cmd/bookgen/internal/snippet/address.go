package snippet

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// AddressOn returns the address of an element on the page of a part; without id, of
// that page.
func AddressOn(part *book.Part, id string) string {
	if id != "" {
		id = "#" + id
	}
	return part.Slug + "/index.html" + id
}

// Front returns the address of a package: of the chapter's first page, or of the
// listing with its doc comment.
func (c *Chapter) Front(program *Program) string {
	if program.Folder == "" {
		return c.Slug + "/index.html"
	}
	return c.ListingOf(c.Name(program.front()))
}

// ListingOf returns the address of the listing of a file.
func (c *Chapter) ListingOf(file string) string { return c.Slug + "/" + file + ".html" }

// ShownAt returns the address of a definition.
func (c *Chapter) ShownAt(file *source.File, line int, name string) string {
	if part := c.Coverage.Part(file, line); part != nil {
		return AddressOn(part, c.DefinitionID(file, name))
	}
	return c.ListingHref(file, line)
}

// WhereCode returns the part that shows what a reference to Go code names, with its id
// there, and its place on the listing.
func (c *Chapter) WhereCode(ref book.Reference) (part *book.Part, id, listing string, err error) {
	file := c.file(ref.Path)
	if file == nil {
		return nil, "", "", fmt.Errorf("dead link: %s has no page", ref.Path)
	}
	if ref.Fragment == "" {
		return nil, "", c.ListingOf(ref.Path), nil
	}
	if region := file.Region(ref.Fragment); region != nil {
		return c.Coverage.Part(file, region.Line), ElementID(ref.Path, region.Name), c.ListingHref(file, region.Line), nil
	}
	program := c.ProgramOf(file)
	decl, err := program.find(file, ref.Fragment)
	if err != nil {
		return nil, "", "", err
	}
	place, ok := program.Places[Object{program.ImportPath(file), ref.Fragment}]
	if !ok {
		return nil, "", c.ListingHref(file, decl.Line), nil
	}
	return c.Coverage.Part(file, place.Line), c.DefinitionID(file, ref.Fragment), c.ListingHref(file, place.Line), nil
}

// ListingHref returns the address of a line on the listing of a file.
func (c *Chapter) ListingHref(file *source.File, line int) string {
	return fmt.Sprintf("%s#L%d", c.ListingOf(c.Name(file)), line)
}

// DefinitionID returns the id of a definition on the page that shows it.
// Headings have ids of small letters and dashes, so a name that could be one
// gets a dot. A name of a package below the chapter's root begins with its
// folder.
func (c *Chapter) DefinitionID(file *source.File, name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	folder, _ := path.Split(c.Name(file))
	switch {
	case strings.HasSuffix(file.Syntax.Name.Name, "_test"):
		return folder + "test." + name
	case strings.Contains(name, ".") || unicode.IsUpper(first):
		return folder + name
	}
	return folder + "." + name
}
