package main

import (
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"os"

	"github.com/spf13/cobra"
)

// newFormatCommand makes gofmt's of a file, in a page, which has none.
func newFormatCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "format FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, files []string) error {
			text, err := os.ReadFile(files[0])
			if err != nil {
				return err
			}
			formatted, err := format.Source(text)
			var wrong scanner.ErrorList
			if errors.As(err, &wrong) {
				for _, one := range wrong {
					fmt.Fprintf(command.OutOrStdout(), "%s:%s\n", files[0], one)
				}
				return notPassed
			}
			if err != nil {
				return err
			}
			return os.WriteFile(files[0], formatted, 0o644)
		},
	}
}
