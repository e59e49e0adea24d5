//go:build !unix

package folder

import "os"

// lock does nothing where files cannot be locked like this: two servers over
// one folder are not told of each other there.
func lock(*os.File) error { return nil }
