// Package cut takes the body out of a function and puts it back: bytes in, bytes
// out, everything else of the file left as it is.
//
//   - The text that Cut returns compiles: the body becomes a comment and a return
//     of zero values, and imports that only the body used are gone.
//   - Restore undoes Cut to the byte, and leaves what a reader changed elsewhere.
//   - Replace puts other declarations in the place of those with their names.
//   - Aside and Jump let a function be one of several, chosen at run time.
//   - A file that was formatted by gofmt still is.
//
// In reading order: cut.go, restore.go, replace.go, choose.go, then the files
// that these share: file.go (a parsed file and its splices), imports.go,
// zero.go and origin.go (the zero value of any type).
package cut
