package kubectl

import (
	_ "unsafe" // for go:linkname

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Cobra keeps the completions of each flag of every command for as long
// as the process lives, and with the flags the command, its clients,
// and all that these lead to. For one kubectl that is nothing; a
// thousand of them are gigabytes.
//
//go:linkname completions github.com/spf13/cobra.flagCompletionFunctions
var completions map[*pflag.Flag]cobra.CompletionFunc

// forgetCompletions drops the commands that were built so far: one that completes a
// line needs its own only. The caller holds building.
func forgetCompletions() { clear(completions) }
