package mysqlcluster

import (
	"fmt"

	"github.com/distribution/reference"
)

// lookUp returns the recipe of an image and the image's full name, or why it
// cannot be had, in the words that a node with containerd has for it.
func lookUp(name string) (r *recipe, full, reason string) {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return nil, "", fmt.Sprintf(
			"failed to parse image name %q: invalid reference format", name)
	}
	ref = reference.TagNameOnly(ref)
	full = ref.String()
	if r = recipes[ref.Name()]; r == nil {
		return nil, full, pulling("Unknown", full, "pull access denied, "+
			"repository does not exist or may require authorization: "+
			"server message: insufficient_scope: authorization failed")
	}
	tagged, ok := ref.(reference.Tagged)
	if !ok || !r.tags.MatchString(tagged.Tag()) {
		return nil, full, notThere(full)
	}
	return r, full, ""
}

// notThere says that a repository does not have a tag.
func notThere(full string) string {
	return pulling("NotFound", full, full+": not found")
}

// pulling says why an image cannot be pulled.
func pulling(code, full, reason string) string {
	return fmt.Sprintf("rpc error: code = %s desc = failed to pull and unpack "+
		"image %q: failed to resolve reference %[2]q: %[3]s", code, full, reason)
}
