package main

import "github.com/spf13/cobra"

func newImageCommand() *cobra.Command {
	return newVerbs(&cobra.Command{
		Use: "image",
		Long: `Image has an image of the lab that runs fail, as if its registry had lost it, and
heals it. Containers that run go on.`,
		Example: `  go run ./cmd/lab image fail nginx:1.27
  go run ./cmd/lab image heal nginx:1.27`,
	}, []verb{
		{"fail", "It cannot be pulled any more", []string{"IMAGE"}},
		{"heal", "It can", []string{"IMAGE"}},
	})
}
