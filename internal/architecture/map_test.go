package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// room is a line of the map in internal/doc.go.
type room struct {
	name    string
	wing    string
	imports []string
}

var (
	heading = regexp.MustCompile(`^// (.+):$`)
	line    = regexp.MustCompile(`^//\t(\S+) +[^\[]+(?:\[(.*)\])?$`)
)

// houseMap returns the rooms of the map, in its order.
func houseMap(t *testing.T, text string) (rooms []room) {
	t.Helper()
	wing := ""
	for written := range strings.Lines(text) {
		written = strings.TrimRight(written, "\n")
		if found := heading.FindStringSubmatch(written); found != nil {
			wing = found[1]
		}
		if found := line.FindStringSubmatch(written); found != nil {
			rooms = append(rooms, room{found[1], wing, strings.Fields(found[2])})
		}
	}
	return rooms
}

// roomOf returns the room that a package is in: the longest of those whose folder
// it is in, or "chapters".
func roomOf(rooms []room, pkg string) string {
	pkg = strings.TrimPrefix(pkg, "internal/")
	if strings.HasPrefix(pkg, "chapters/") {
		return "chapters"
	}
	best := ""
	for _, r := range rooms {
		if (pkg == r.name || strings.HasPrefix(pkg, r.name+"/")) && len(r.name) > len(best) {
			best = r.name
		}
	}
	return best
}

// onlyTests are folders of the house that hold nothing else.
var onlyTests = []string{"internal", "internal/architecture"}

func TestTheMapOfTheHouseIsTrue(t *testing.T) {
	text, err := os.ReadFile("../doc.go")
	require.NoError(t, err)
	rooms := houseMap(t, string(text))
	require.NotEmpty(t, rooms)
	found := map[string][]string{} // what each room imports
	for _, folder := range []string{"internal", "cmd"} {
		for file, all := range imports(t, filepath.Join("../..", folder), false) {
			from := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), "../../"))
			if strings.Contains(from, "/testdata/") {
				continue
			}
			name := roomOf(rooms, from)
			if !assert.NotEmpty(t, name, "%s is not on the map", from) {
				continue
			}
			for _, pkg := range all {
				to := roomOf(rooms, pkg)
				if to != name && !slices.Contains(found[name], to) {
					found[name] = append(found[name], to)
				}
			}
		}
	}
	above := map[string]string{"chapters": ""} // and in which wing
	for _, r := range rooms {
		assert.ElementsMatch(t, r.imports, found[r.name], "what %s imports", r.name)
		for _, to := range r.imports {
			wing, ok := above[to]
			assert.True(t, ok, "%s imports %s, which is not above it", r.name, to)
			assert.Contains(t, []string{"", rooms[0].wing, r.wing}, wing,
				"%s imports %s, which is in another wing", r.name, to)
		}
		above[r.name] = r.wing
	}
}

// A package that imports nothing is on the map, too.
func TestEveryFolderOfTheHouseIsOnTheMap(t *testing.T) {
	text, err := os.ReadFile("../doc.go")
	require.NoError(t, err)
	rooms := houseMap(t, string(text))
	for _, pattern := range []string{"../*/*.go", "../../cmd/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../../")
			folder = strings.Replace(folder, "../", "internal/", 1)
			if !slices.Contains(onlyTests, folder) {
				assert.NotEmpty(t, roomOf(rooms, folder), "%s is not on the map", folder)
			}
		}
	}
}

func TestTheMapIsRead(t *testing.T) {
	rooms := houseMap(t, "// Both:\n//\n//\tsource  files\n// The book:\n//\n//\texercise  cuts [source]\n")
	assert.Equal(t, []room{{"source", "Both", []string{}}, {"exercise", "The book", []string{"source"}}}, rooms)
	assert.Equal(t, "exercise", roomOf(rooms, "internal/exercise/cut"))
	assert.Equal(t, "chapters", roomOf(rooms, "chapters/01-control-loop"))
	assert.Empty(t, roomOf(rooms, "internal/sources"))
}
