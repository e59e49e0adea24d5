package program

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// inTheBook is how lab is called in a copy of the book, and how all that it says
// names it.
const inTheBook = "go run ./cmd/lab"

// AsCalled returns a text that names lab as its reader calls it: the script of a
// packed folder has another name, and takes exercise's commands without their group's.
func AsCalled(text string) string {
	called := os.Getenv("RECONCILE_CALLED")
	if called == "" {
		return text
	}
	return strings.NewReplacer(inTheBook+" exercise ", called+" ", inTheBook, called).Replace(text)
}

// nameExamples makes the help of a command, and of those below it, name lab as it is
// called.
func nameExamples(command *cobra.Command) {
	command.Example = AsCalled(command.Example)
	for _, below := range command.Commands() {
		nameExamples(below)
	}
}
