package image

import "fmt"

// notFound says that a repository does not have a tag.
func notFound(full string) string {
	return unresolved("NotFound", full, full+": not found")
}

// unresolved says why an image cannot be pulled.
func unresolved(code, full, reason string) string {
	return fmt.Sprintf("rpc error: code = %s desc = failed to pull and unpack "+
		"image %q: failed to resolve reference %[2]q: %[3]s", code, full, reason)
}
