package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLicencesListsModulesFontsAndGo(t *testing.T) {
	table := runLab(t, 0, "licences")
	assert.Regexp(t, `(?m)^Go +go1\.\S+ +BSD-3-Clause`, table)
	assert.Regexp(t, `(?m)^k8s\.io/kubectl +v\S+ +Apache-2\.0$`, table, "of the cluster, which lab becomes")
	assert.Regexp(t, `(?m)^cmd/bookgen/internal/site/fonts/newsreader +OFL-1\.1$`, table)
	assert.NotContains(t, table, "WARRANT")
	assert.Contains(t, runLab(t, 0, "licences", "--text"), "WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND")
}
