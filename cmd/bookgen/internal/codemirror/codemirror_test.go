package codemirror_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/codemirror"
)

func TestTheEditorComesWithTheLicencesOfAllThatIsInIt(t *testing.T) {
	files := map[string][]byte{}
	codemirror.AddTo(files)
	assert.Contains(t, string(files["assets/code.js"][:200]), "MIT, see assets/codemirror-licence.txt")

	var lock struct {
		Packages map[string]struct{ Version, License string }
	}
	text, err := os.ReadFile("package-lock.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &lock))
	for folder, made := range lock.Packages {
		name := strings.TrimPrefix(folder, "node_modules/")
		if name == "" {
			continue // the list itself
		}
		assert.Equal(t, "MIT", made.License, path.Base(name))
		assert.Contains(t, string(files["assets/codemirror-licence.txt"]), "\n"+name+" "+made.Version+"\n")
	}
}
