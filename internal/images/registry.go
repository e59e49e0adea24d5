package images

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/distribution/reference"
)

// find returns the image of a name, or why it cannot be pulled, in containerd's
// words.
func find(name string) (found *image, reason string) {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return nil, fmt.Sprintf(
			"failed to parse image name %q: invalid reference format", name)
	}
	tagged := repositories[ref.Name()]
	if tagged == nil {
		return nil, denied(ref)
	}
	tag := "latest"
	if named, ok := ref.(reference.Tagged); ok {
		tag = named.Tag()
	}
	if found = tagged(tag); found == nil {
		return nil, fmt.Sprintf("%s (this lab has %s:%s)", notFound(name), reference.FamiliarName(ref), offered[ref.Name()])
	}
	return found, ""
}

// repositories make the image of a tag, or return nil when there is none.
var repositories = withChapters(map[string]func(tag string) *image{
	"docker.io/library/nginx":                           nginx,
	"docker.io/library/busybox":                         busybox,
	"docker.io/library/alpine":                          alpine,
	"docker.io/library/debian":                          debian,
	"gcr.io/fluentd-elasticsearch/fluentd":              fluentd("v2.5.1"),
	"gcr.io/google-containers/fluentd-elasticsearch":    fluentd("v2.0.4"),
	"k8s.gcr.io/fluentd-elasticsearch":                  fluentd("1.20", "v2.2.0"),
	"quay.io/fluentd_elasticsearch/fluentd":             fluentd("v2.5.2", "v5.0.1"),
	"registry.k8s.io/pause":                             pause,
	"registry.k8s.io/e2e-test-images/agnhost":           testHost,
	"registry.k8s.io/e2e-test-images/busybox":           rebuilt(busybox),
	"registry.k8s.io/e2e-test-images/glibc-dns-testing": names,
	"registry.k8s.io/e2e-test-images/nginx":             rebuilt(alpineNginx),
	"registry.k8s.io/e2e-test-images/nginx-new":         rebuilt(alpineNginx),
})

// build is how often Kubernetes has built its test image of a version: 1.27.0-2
// is the second one of 1.27.0.
var build = regexp.MustCompile(`-\d$`)

// rebuilt makes images whose tags have a build at their end.
func rebuilt(of func(tag string) *image) func(tag string) *image {
	return func(tag string) *image { return of(build.ReplaceAllString(tag, "")) }
}

// offered has a tag of each repository, for who asks for one that isn't there.
var offered = map[string]string{
	"docker.io/library/nginx":                           nginxMainline,
	"docker.io/library/busybox":                         "1.37",
	"docker.io/library/alpine":                          "3.23",
	"docker.io/library/debian":                          "13",
	"docker.io/library/mysql":                           "5.7",
	"gcr.io/google-samples/xtrabackup":                  "1.0",
	"gcr.io/fluentd-elasticsearch/fluentd":              "v2.5.1",
	"gcr.io/google-containers/fluentd-elasticsearch":    "v2.0.4",
	"k8s.gcr.io/fluentd-elasticsearch":                  "v2.2.0",
	"quay.io/fluentd_elasticsearch/fluentd":             "v5.0.1",
	"registry.k8s.io/pause":                             "3.10",
	"registry.k8s.io/e2e-test-images/agnhost":           "2.0",
	"registry.k8s.io/e2e-test-images/busybox":           "1.37.0-1",
	"registry.k8s.io/e2e-test-images/glibc-dns-testing": "2.0.0",
	"registry.k8s.io/e2e-test-images/nginx":             "1.27.0-1",
	"registry.k8s.io/e2e-test-images/nginx-new":         "1.27.0-1",
}

// notFound returns what a node says of a tag that the registry does not have.
func notFound(name string) string {
	full := normal(name)
	return fmt.Sprintf("rpc error: code = NotFound desc = failed to pull and "+
		"unpack image %q: failed to resolve reference %q: %s: not found",
		full, full, full)
}

// denied returns what a node says of a repository that does not exist: the
// registry does not tell strangers whether it does. The lab adds which there are.
func denied(ref reference.Named) string {
	full := reference.TagNameOnly(ref).String()
	return fmt.Sprintf("rpc error: code = Unknown desc = failed to pull and "+
		"unpack image %q: failed to resolve reference %q: pull access denied, "+
		"repository does not exist or may require authorization: server message: "+
		"insufficient_scope: authorization failed (this lab has only %s)",
		full, full, strings.Join(repositoryNames(), ", "))
}

// repositoryNames returns the repositories, as one would write them in a manifest,
// sorted.
func repositoryNames() []string {
	var names []string
	for name := range repositories {
		if ref, err := reference.ParseNormalizedNamed(name); err == nil {
			names = append(names, reference.FamiliarName(ref))
		}
	}
	slices.Sort(names)
	return names
}

// normal returns the full name of an image: docker.io/library/nginx:latest.
func normal(name string) string {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return name
	}
	return reference.TagNameOnly(ref).String()
}

// lastPatch is the highest that any version of an image is supposed to have.
const lastPatch = 15

// version is what a tag begins with: numbers, and then perhaps a variant.
var version = regexp.MustCompile(
	`^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([a-z0-9.-]+))?$`)

// parseVersion returns the numbers of a tag, 0 for those that it leaves out,
// and its variant.
func parseVersion(tag string) (numbers [3]int, variant string, ok bool) {
	parts := version.FindStringSubmatch(tag)
	if parts == nil {
		return numbers, "", false
	}
	for i := range numbers {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return numbers, "", false
		}
		numbers[i] = n
	}
	return numbers, parts[4], true
}

// within reports whether a tag is a version of major up to a minor one, in one
// of these variants.
func within(tag string, major, lastMinor int, variants ...string) bool {
	v, variant, ok := parseVersion(tag)
	return ok && v[0] == major && v[1] <= lastMinor && v[2] <= lastPatch &&
		(variant == "" || slices.Contains(variants, variant))
}

// alpineNginx makes Kubernetes' own, which are all on Alpine.
func alpineNginx(tag string) *image { return nginx(tag + "-alpine") }
