package image

import (
	"fmt"
	"regexp"

	"github.com/distribution/reference"
	"github.com/opencontainers/runtime-spec/specs-go"
)

// recipe is how an image is assembled.
type recipe struct {
	folder     string         // of wrappers, or none
	tags       *regexp.Regexp // that there are
	programs   []string       // that have to be installed
	dirs       []string       // empty ones
	entrypoint []string
	cmd        []string
	stopSignal string
	root       func(a *Assembled, r *recipe, dir string) ([]specs.Mount, error)
}

// recipes are by the full name of a repository. XtraBackup's image has MySQL's
// programs too: the manifest's sidecar calls mysql.
var recipes = map[string]*recipe{
	"docker.io/library/mysql": {
		folder:     "mysql",
		tags:       regexp.MustCompile(`^5\.7(\.([0-9]|[1-3][0-9]|4[0-4]))?$`),
		programs:   mariaDB,
		dirs:       mysqlDirs,
		entrypoint: []string{"docker-entrypoint.sh"},
		cmd:        []string{"mysqld"},
		root:       (*Assembled).onUsr,
	},
	"gcr.io/google-samples/xtrabackup": {
		folder: "mysql",
		tags:   regexp.MustCompile(`^1\.0$`),
		programs: append([]string{
			"mariadb-backup", "mbstream", "ncat"}, mariaDB...),
		dirs: mysqlDirs,
		cmd:  []string{"bash"},
		root: (*Assembled).onUsr,
	},
	"docker.io/library/nginx": {
		folder:     "nginx",
		tags:       regexp.MustCompile(`^(latest|stable|1\.\d+(\.\d+)?)(-alpine)?$`),
		programs:   []string{"nginx"},
		dirs:       []string{"var/lib/nginx", "var/log/nginx"},
		cmd:        []string{"nginx", "-g", "daemon off;"},
		stopSignal: "SIGQUIT",
		root:       (*Assembled).nginx,
	},
	"docker.io/library/debian": {
		tags: regexp.MustCompile(`^(latest|stable|bookworm|trixie|1[23])(-slim)?$`),
		cmd:  []string{"bash"},
		root: (*Assembled).onUsr,
	},
	"docker.io/library/busybox": {
		tags:     regexp.MustCompile(`^(latest|stable|1\.\d+(\.\d+)?)(-\w+)?$`),
		programs: []string{"busybox"},
		cmd:      []string{"sh"},
		root:     (*Assembled).busybox,
	},
}

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
		return nil, full, unresolved("Unknown", full, "pull access denied, "+
			"repository does not exist or may require authorization: "+
			"server message: insufficient_scope: authorization failed")
	}
	tagged, ok := ref.(reference.Tagged)
	if !ok || !r.tags.MatchString(tagged.Tag()) {
		return nil, full, notFound(full)
	}
	return r, full, ""
}

var (
	mariaDB   = []string{"mariadbd", "mariadb-install-db", "mariadb", "mariadb-admin"}
	mysqlDirs = []string{"etc/mysql/conf.d", "var/lib/mysql"}
)

// packages are Debian's for the programs whose names are others.
var packages = map[string]string{
	"mariadbd":           "mariadb-server-core",
	"mariadb-install-db": "mariadb-server-core",
	"mariadb":            "mariadb-client-core",
	"mariadb-admin":      "mariadb-client",
	"mbstream":           "mariadb-backup",
	"busybox":            "busybox-static",
}
