package main

import "github.com/spf13/cobra"

func newMachineCommands() []*cobra.Command { return []*cobra.Command{newFormatCommand()} }
