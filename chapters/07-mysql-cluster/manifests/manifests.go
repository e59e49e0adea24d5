// Package manifests has the chapter's YAML files, for programs that create their
// objects.
package manifests

import "embed"

// Files are those of the MySQL cluster.
//
//go:embed mysql-*.yaml
var Files embed.FS
