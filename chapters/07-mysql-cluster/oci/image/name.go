package image

import "fmt"

// NotFound says that a repository does not have a tag.
func NotFound(full string) string {
	return Unresolved("NotFound", full, full+": not found")
}

// Unresolved says why an image cannot be pulled.
func Unresolved(code, full, reason string) string {
	return fmt.Sprintf("rpc error: code = %s desc = failed to pull and unpack "+
		"image %q: failed to resolve reference %[2]q: %[3]s", code, full, reason)
}
