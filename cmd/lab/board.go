package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"reconcile/internal/httpserve"
	"reconcile/internal/workshop/board"
)

func newBoardCommand() *cobra.Command {
	address, token, port := "", "", 7777
	command := &cobra.Command{
		Use:   "board",
		Short: "Show where a class is: who is stuck, and at which test",
		Long: `Take the reports of a class and show them, as a page and in this terminal, until
ctrl-C: how many have begun and passed each exercise, which test and which known
wrong answer stops how many, who holds up a flag, who has been idle for ten minutes.

It listens on this machine alone. With --address the participants' machines reach it;
then a token of at least 16 characters is wanted, with which they send. Looking at the
board takes another one: it is in the address that is printed, for you, and the browser
keeps it, so that the address which a projector shows opens the board to no other.

The board speaks HTTP without TLS: others on the network can read what is sent. There
is room for 200 participants. When it's full, a new one gets the seat that has been
silent for longest, if that is an hour; on the page you can empty one yourself, or all
that have reported only once. Nothing is kept when it ends; each report tells
everything again.`,
		Example: "  go run ./cmd/lab workshop board\n  go run ./cmd/lab workshop board --address 192.168.1.7 --token $(openssl rand -hex 12)",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			host, err := hostOf(address, token)
			if err != nil {
				return err
			}
			book, err := exercises(command)
			if err != nil {
				return err
			}
			listener, err := listen(net.JoinHostPort(host, fmt.Sprint(port)))
			if err != nil {
				return err
			}
			return showBoard(command, listener, board.New(board.Options{
				Send: token, Read: httpserve.NewToken(), Exercises: slices.Sorted(maps.Keys(book)), Now: time.Now,
			}))
		},
	}
	flags := command.Flags()
	flags.StringVar(&address, "address", "", "of this machine, for others to reach; without it none can")
	flags.StringVar(&token, "token", "", "that reports must carry; participants get it")
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
	if len(token) < httpserve.LeastToken {
		return "", fmt.Errorf("--address lets others in: a --token of at least %d characters is wanted", httpserve.LeastToken)
	}
	return address, nil
}

// shownEvery is how often the terminal has the board anew.
const shownEvery = 10 * time.Second

func showBoard(command *cobra.Command, listener net.Listener, b *board.Board) error {
	ctx, cancel := context.WithCancel(command.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- httpserve.Serve(ctx, patient(command, listener), b, b.Open()...) }()
	out, at := command.OutOrStdout(), listener.Addr()
	fmt.Fprintf(out, "The board is at http://%s/?token=%s (ctrl-C ends)\n"+
		"That address is yours: who has it sees everybody's name.\n"+
		"For participants: %sreport --to http://%s", at, b.Read, byHand, at)
	if b.Send != "" {
		fmt.Fprintf(out, " --token %s", b.Send)
	}
	fmt.Fprintln(out)
	if !at.(*net.TCPAddr).IP.IsLoopback() {
		fmt.Fprintln(out, "It speaks HTTP without TLS: others on this network can read what is sent.")
	}
	return untilInterrupted(command.Context(), ended, func() error {
		class := b.Class()
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

// exercises returns the minutes of each exercise of the book, by its number.
func exercises(command *cobra.Command) (map[string]int, error) {
	w, err := open(command)
	if err != nil {
		return nil, err
	}
	lines, err := w.Overview(command.Context())
	if err != nil {
		return nil, err
	}
	book := map[string]int{}
	for _, line := range lines {
		book[line.Exercise.Number] = line.Exercise.Minutes
	}
	return book, nil
}
