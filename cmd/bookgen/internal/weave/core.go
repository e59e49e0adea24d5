package weave

import (
	"slices"

	"reconcile/internal/source"
)

// A chapter's core is the code that it is about: each line of it stands on a page,
// open, once. All else is given: it is a click away, and pages may show any of it, as
// often as they like.

// leavesOut reports whether a file is not in the core of its chapter. One that names
// no core is about all of its code.
func (c *Chapter) leavesOut(p *Program, file *source.File) bool {
	return len(c.Core) > 0 && !file.Test &&
		!slices.Contains(c.Core, c.name(file)) && !slices.Contains(c.Core, p.Folder)
}

// missingCore reports what is named as core, and is not there.
func (c *Chapter) missingCore() error {
	var errs []error
	for i, name := range c.Core {
		switch {
		case slices.Contains(c.Core[:i], name):
			errs = append(errs, c.frontError("core: %s is there twice", name))
		case c.file(name) == nil && (name == "" || c.program(name) == nil):
			errs = append(errs, c.frontError("core: there is neither a Go file nor a package %s", name))
		}
	}
	return source.Join(errs...)
}
