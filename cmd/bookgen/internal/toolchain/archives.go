package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise/unit"
)

// archives are compiled packages, by their digests.
type archives struct {
	imported map[string]bool // paths of packages that a page may have to compile against
	bySum    map[string]archive
}

// An archive is where a package lies, compiled.
type archive struct {
	path, file string
	linked     bool // and nothing else
}

// archivesOf returns them for packages of which those in folders are compiled in a page.
func archivesOf(packages map[string]*listed, folders []string) archives {
	var own []string
	for _, folder := range folders {
		own = append(own, "reconcile/"+folder)
	}
	all := archives{map[string]bool{unit.Checks: true}, map[string]archive{}}
	for _, p := range packages {
		if slices.Contains(own, p.path()) || p.importsAny(own...) {
			for _, name := range p.Imports {
				path, _, _ := strings.Cut(name, " ")
				all.imported[path] = true
			}
		}
	}
	return all
}

// isImported reports whether code in a page may import a package: the book's code, or a
// reader's, who also has what is Go's and what all of Kubernetes uses.
func (all archives) isImported(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	common := !strings.Contains(first, ".") && first != "reconcile" && first != "vendor" && !strings.Contains(path, "internal/") ||
		slices.ContainsFunc([]string{"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/utils/"},
			func(above string) bool { return strings.HasPrefix(path, above) })
	return common || all.imported[path]
}

// text returns what a page needs of an archive: its declarations are left out where it
// is only linked.
func (a archive) text() ([]byte, error) {
	text, err := os.ReadFile(a.file)
	if err != nil || !a.linked {
		return text, err
	}
	const first, header = "!<arch>\n__.PKGDEF ", 8 + 60
	if len(text) < header || !bytes.HasPrefix(text, []byte(first)) {
		return nil, fmt.Errorf("%s has no declarations in its archive: Go has another format", a.path)
	}
	size, err := strconv.Atoi(strings.TrimSpace(string(text[8+48 : 8+58])))
	if err != nil {
		return nil, err
	}
	return append(text[:8:8], text[header+size+size%2:]...), nil
}

func (all archives) add(p *listed) (sum string, err error) {
	a := archive{p.path(), p.Export, !all.isImported(p.path())}
	text, err := a.text()
	if err != nil {
		return "", err
	}
	sum = digestOf(text)
	all.bySum[sum] = a
	return sum, nil
}
