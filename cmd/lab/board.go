package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"reconcile/internal/workshop/board"
)

// shortest is how long a token has to be on a network with others in it.
const shortest = 16

func newBoardCommand() *cobra.Command {
	address, token := "", ""
	port := 7777
	command := &cobra.Command{
		Use:   "board",
		Short: "Show where a class is: who is stuck, and at which test",
		Long: `Take the reports of a class and show them, as a page and in this terminal, until
ctrl-C: how many have begun and passed each exercise, which test and which known
wrong answer stops how many, who holds up a flag, who has been idle for ten minutes.

It listens on this machine alone. With --address the participants' machines reach it;
then a token of at least 16 characters is wanted, and they send theirs with it.
Nothing is kept when it ends; each report tells everything again.`,
		Example: "  go run ./cmd/lab workshop board\n  go run ./cmd/lab workshop board --address 192.168.1.7 --token $(openssl rand -hex 12)",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			host, err := hostOf(address, token)
			if err != nil {
				return err
			}
			listener, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
			if err != nil {
				return fmt.Errorf("%w; --port 0 takes a free one", err)
			}
			return showBoard(command, listener, token)
		},
	}
	flags := command.Flags()
	flags.StringVar(&address, "address", "", "of this machine, for others to reach; without it none can")
	flags.StringVar(&token, "token", "", "that reports must carry")
	flags.IntVar(&port, "port", port, "to listen on; 0 takes one that is free")
	return command
}

// hostOf returns where to listen, or why one should not.
func hostOf(address, token string) (string, error) {
	if address == "" {
		return "127.0.0.1", nil
	}
	if ip := net.ParseIP(address); ip == nil {
		return "", fmt.Errorf("--address %s: an IP address of this machine is wanted", address)
	}
	if len(token) < shortest {
		return "", fmt.Errorf("--address lets others in: a --token of at least %d characters is wanted", shortest)
	}
	return address, nil
}

// shownEvery is how often the terminal has the board anew.
const shownEvery = 10 * time.Second

func showBoard(command *cobra.Command, listener net.Listener, token string) error {
	b := board.New(token, time.Now)
	server := &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer server.Close()
	out := command.OutOrStdout()
	more := ""
	if token != "" {
		more = "?token=" + token
	}
	fmt.Fprintf(out, "The board is at http://%s/%s (ctrl-C ends)\nFor participants: %sreport --to http://%s", listener.Addr(), more, byHand, listener.Addr())
	if token != "" {
		fmt.Fprintf(out, " --token %s", token)
	}
	fmt.Fprintln(out)
	return untilInterrupted(command.Context(), ended, func() error {
		class := b.Look()
		if len(class.People) == 0 {
			return nil
		}
		fmt.Fprintf(out, "\n%s\n\n", class.At.Format(time.TimeOnly))
		return class.Print(out)
	})
}

func untilInterrupted(ctx context.Context, ended <-chan error, show func() error) error {
	tick := time.NewTicker(shownEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case <-tick.C:
			if err := show(); err != nil {
				return err
			}
		}
	}
}
