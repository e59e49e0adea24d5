package paper

// PagesOf returns the page on which each element of a PDF lies, by its id.
var PagesOf = pagesOf
