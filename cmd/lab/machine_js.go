package main

import "github.com/spf13/cobra"

func newMachineCommands() []*cobra.Command { return nil }
