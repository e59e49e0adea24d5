//go:build !js

package unix

import "os"

// pipeEnd is an end of an operating system's pipe.
type pipeEnd = *os.File
