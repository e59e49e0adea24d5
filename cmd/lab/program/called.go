package program

import (
	"fmt"
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

// Renamed replaces what exercises were called in earlier editions by the numbers that
// are meant, and tells the reader of each.
func Renamed(command *cobra.Command, said []string, meant func(string) string) {
	for i, name := range said {
		said[i] = meant(name)
		if !strings.EqualFold(said[i], name) {
			fmt.Fprintf(command.ErrOrStderr(), "lab: exercise %s is %s now\n", name, said[i])
		}
	}
}

// nameExamples makes the help of a command, and of those below it, name lab as it is
// called.
func nameExamples(command *cobra.Command) {
	command.Example = AsCalled(command.Example)
	for _, below := range command.Commands() {
		nameExamples(below)
	}
}
