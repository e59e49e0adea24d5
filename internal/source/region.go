package source

// Region is a part of a file between `//book:region name` and `//book:end`,
// without these lines, for prose that must look inside a function. Everything
// else is found by its declaration, because markers would become a third of the
// source.
type Region struct {
	Name          string
	File          *File
	Start, End    int // bytes, whole lines without the last newline
	Line, EndLine int
}

func (f *File) findRegions() error {
	var errs []error
	var open *directive
	for _, d := range f.directives {
		switch {
		case d.verb == "region" && open != nil:
			errs = append(errs, At(f.Path, d.line, "region %s begins inside region %s", d.argument, open.argument))
		case d.verb == "region":
			open = &d
		case d.verb == "end" && open == nil:
			errs = append(errs, At(f.Path, d.line, "//book:end closes no region"))
		case d.verb == "end":
			errs = append(errs, f.addRegion(*open, d))
			open = nil
		}
	}
	if open != nil {
		errs = append(errs, At(f.Path, open.line, "region %s has no //book:end", open.argument))
	}
	return Join(errs...)
}

func (f *File) addRegion(from, to directive) error {
	name := from.argument
	switch {
	case f.Region(name) != nil:
		return At(f.Path, from.line, "region %s is there twice, first at line %d", name, f.Region(name).Line)
	case len(f.lookup(name)) > 0:
		return At(f.Path, from.line, "%s is both a declaration and a region", name)
	case to.line == from.line+1:
		return At(f.Path, from.line, "region %s is empty", name)
	}
	region := &Region{Name: name, File: f, Line: from.line + 1, EndLine: to.line - 1}
	region.Start = f.LineStart(region.Line)
	region.End = f.LineStart(to.line) - 1
	f.Regions = append(f.Regions, region)
	return nil
}
