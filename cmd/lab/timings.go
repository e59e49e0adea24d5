package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"reconcile/internal/english"
	"reconcile/internal/workshop/board"
	"reconcile/internal/workshop/course"
)

func newTimingsCommand() *cobra.Command {
	var form string
	command := &cobra.Command{
		Use:   "timings REPORT|FORM...",
		Short: "Say how long exercises took, from reports and forms: medians, beside what the book says",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 && form == "" {
				return errors.New("which reports? The files that `lab exercise report -o` writes, or a folder of them; and forms, which --form prints")
			}
			return nil
		},
		Example: "  go run ./cmd/lab workshop timings --form day > day.yaml   # to be filled in when it has been taught\n" +
			"  go run ./cmd/lab workshop timings day.yaml reports/*.json",
		RunE: func(command *cobra.Command, arguments []string) error {
			if form != "" {
				return printForm(command, form)
			}
			book, err := exercises(command)
			if err != nil {
				return err
			}
			reports, err := readReports(arguments, book)
			if err != nil {
				return err
			}
			return board.PrintTimings(command.OutOrStdout(), board.Timings(reports, book))
		},
	}
	command.Flags().StringVar(&form, "form", "", "print the form of this `course` (hour, day, …), for what happened when it was taught")
	return command
}

// printForm prints the form of a course.
func printForm(command *cobra.Command, slug string) error {
	w, err := open(command)
	if err != nil {
		return err
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return err
	}
	courses, _, err := course.Load(filepath.Join(w.Root(), course.Folder))
	if err != nil {
		return err
	}
	var names []string
	for _, c := range courses {
		names = append(names, c.Slug)
	}
	at := slices.Index(names, slug)
	if at < 0 {
		return fmt.Errorf("there is no course %q; there are %s", slug, english.List(names))
	}
	var planned []board.Planned
	numbers := courses[at].Exercises()
	for _, line := range lines {
		if slices.Contains(numbers, line.Exercise.Number) {
			planned = append(planned, board.Planned{Number: line.Exercise.Number, Title: line.Exercise.Title, Minutes: line.Exercise.Minutes})
		}
	}
	return board.PrintForm(command.OutOrStdout(), slug, planned)
}

// readReports reads files, and all that there are in folders.
func readReports(names []string, book map[string]int) ([]board.Report, error) {
	var reports []board.Report
	for _, name := range names {
		files := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			files = nil
			for _, pattern := range []string{"*.json", "*.yaml"} {
				some, _ := filepath.Glob(filepath.Join(name, pattern)) // the pattern is one
				files = append(files, some...)
			}
		}
		for _, file := range files {
			some, err := readReport(file, book)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			reports = append(reports, some...)
		}
	}
	return reports, nil
}

// readReport reads a report, or a form, which is YAML.
func readReport(file string, book map[string]int) ([]board.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if filepath.Ext(file) == ".yaml" {
		form, err := board.ReadForm(f, book)
		return form.Reports(), err
	}
	report, err := board.Read(f)
	return []board.Report{report}, err
}
