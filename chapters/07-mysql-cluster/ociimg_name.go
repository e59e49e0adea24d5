package mysqlcluster

import "fmt"

// notThere says that a repository does not have a tag.
func notThere(full string) string {
	return pulling("NotFound", full, full+": not found")
}

// pulling says why an image cannot be pulled.
func pulling(code, full, reason string) string {
	return fmt.Sprintf("rpc error: code = %s desc = failed to pull and unpack "+
		"image %q: failed to resolve reference %[2]q: %[3]s", code, full, reason)
}
