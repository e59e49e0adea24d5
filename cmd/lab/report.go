package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconcile/internal/exercise/workspace"
	"reconcile/internal/workshop/board"
)

func newReportCommand() *cobra.Command {
	var name, to, token, file string
	stop := false
	command := &cobra.Command{
		Use:   "report",
		Short: "Tell an instructor how far you are, without your code",
		Long: `Say how far you are: which exercises you have started, how often you have tested,
how many hints you took, which tests fail and what has passed. Neither your code nor
your name is in it, unless you give one.

It is printed, or written to a file with -o, or sent with --to to the board of a
workshop. What was sent once is sent again after each start, test, hint and flag,
until --stop.`,
		Example: examples("report", "report --to http://192.168.1.7:7777 --token ...", "report --name Ada -o ada.json", "report --stop"),
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			p, err := w.Participant(command.Context(), func(p *workspace.Participant) {
				p.ID = cmp.Or(p.ID, board.NewID())
				p.Name = cmp.Or(name, p.Name)
				switch {
				case stop:
					p.To, p.Token = "", ""
				case to != "":
					p.To, p.Token = strings.TrimRight(to, "/"), token
				}
			})
			if err != nil || stop {
				return err
			}
			report, err := reportOf(command.Context(), w, p)
			if err != nil {
				return err
			}
			return tellReport(command, p, report, to, file)
		},
	}
	flags := command.Flags()
	flags.StringVar(&name, "name", "", "your name, if the board shall have it")
	flags.StringVar(&to, "to", "", "the address of a board; your instructor has it")
	flags.StringVar(&token, "token", "", "what the board asks for; likewise")
	flags.StringVarP(&file, "output", "o", "", "a file to write to")
	flags.BoolVar(&stop, "stop", false, "send nothing any more")
	return command
}

// tellReport sends a report, writes it or prints it.
func tellReport(command *cobra.Command, p workspace.Participant, report []byte, to, file string) error {
	switch {
	case to != "":
		if err := send(command.Context(), p, report); err != nil {
			return err
		}
		fmt.Fprintf(command.OutOrStdout(), "Sent to %s, and again after each start, test, hint and flag; %sreport --stop ends that.\n", p.To, byHand)
		return nil
	case file != "":
		return os.WriteFile(file, report, 0o644)
	}
	_, err := command.OutOrStdout().Write(report)
	return err
}

func reportOf(ctx context.Context, w *workspace.Workspace, p workspace.Participant) ([]byte, error) {
	lines, err := w.Overview(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(board.NewReport(p.ID, p.Name, board.Flag(p.Flag), lines, time.Now()), "", "  ")
	return append(text, '\n'), err
}

// send sends a report to the participant's board.
func send(ctx context.Context, p workspace.Participant, report []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.To+"/report", bytes.NewReader(report))
	if err != nil {
		return fmt.Errorf("--to %s: %w", p.To, err)
	}
	request.Header.Set("Authorization", "Bearer "+p.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the board does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
		return fmt.Errorf("the board says: %s", strings.TrimSpace(string(why)))
	}
	return nil
}

// reportAgain sends a report if one was sent before. A board that does not
// answer is no reason to stop somebody who works.
func reportAgain(command *cobra.Command, w *workspace.Workspace) {
	p, err := w.Participant(command.Context(), func(*workspace.Participant) {})
	if err != nil || p.To == "" {
		return
	}
	report, err := reportOf(command.Context(), w, p)
	if err == nil {
		err = send(command.Context(), p, report)
	}
	if err != nil && command.Context().Err() == nil {
		fmt.Fprintln(command.ErrOrStderr(), "lab: your report was not sent:", err)
	}
}

func newFlagCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "flag red|green|off",
		Short: "Hold up a flag on the board of a workshop: red for help, green for done",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 1 || flagOf(arguments[0]) == nil {
				return errors.New("which flag? red, green or off")
			}
			return nil
		},
		ValidArgs: []string{"red", "green", "off"},
		Example:   examples("flag red", "flag off"),
		RunE: func(command *cobra.Command, arguments []string) error {
			w, err := open(command)
			if err != nil {
				return err
			}
			p, err := w.Participant(command.Context(), func(p *workspace.Participant) {
				p.ID, p.Flag = cmp.Or(p.ID, board.NewID()), string(*flagOf(arguments[0]))
			})
			if err != nil {
				return err
			}
			if p.To == "" {
				return fmt.Errorf("no board sees it yet: %sreport --to its address", byHand)
			}
			reportAgain(command, w)
			return nil
		},
	}
}

func flagOf(word string) *board.Flag {
	for _, flag := range []board.Flag{board.Red, board.Green} {
		if word == string(flag) {
			return &flag
		}
	}
	if word == "off" {
		none := board.None
		return &none
	}
	return nil
}
