package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page loads its scripts as a reader asks for them. A script that declares a name which
// another has declared ends at once: with it, what it was loaded for.
func TestNoTwoScriptsOfAPageDeclareTheSameName(t *testing.T) {
	declared := map[string]string{}
	for _, folder := range []string{
		"cmd/bookgen/internal/site/scripts", "cmd/bookgen/internal/engine/web", "cmd/bookgen/internal/toolchain/web",
		"cmd/bookgen/internal/codemirror", "internal/trace/view/scripts",
	} {
		files, err := filepath.Glob(filepath.Join("../..", folder, "*.js"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, name := range regexp.MustCompile(`(?m)^(?:const|let|var|class|(?:async )?function) ([\w$]+)`).FindAllStringSubmatch(string(text), -1) {
				assert.Empty(t, declared[name[1]], "%s declares %s", file, name[1])
				declared[name[1]] = file
			}
		}
	}
}
