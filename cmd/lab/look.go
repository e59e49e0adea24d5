package main

import (
	"fmt"
	"net"
	"net/http"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/tracediff"
	"reconcile/internal/english"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/httpserve"
)

// runsOf returns the page of a test that fails, and says what is on it; nil if there is
// nothing to look into.
func runsOf(out paper, seen *workspace.Seen) (*tracediff.Page, error) {
	if seen.Test == "" {
		fmt.Fprintf(out, "\nNo test that fails has a cluster to look into%s.\n", thatHave(seen.Clusters))
		return nil, nil
	}
	page, err := tracediff.New(trial.Words(seen.Test), seen)
	if err == nil {
		fmt.Fprintf(out, "\n%s, your run beside the book's:\n%s\n", page.Title, page.Says)
	}
	return page, err
}

// named tests are enough to know which have a cluster.
const named = 3

func thatHave(tests []string) string {
	if len(tests) == 0 {
		return ", nor has any other of this exercise: they call its functions, and compare what these return"
	}
	var all []string
	for _, name := range tests[:min(len(tests), named)] {
		all = append(all, fmt.Sprintf("%q", trial.Words(name)))
	}
	if more := len(tests) - named; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return "; of this exercise's tests these have one, and it would be shown if they failed: " + english.List(all)
}

// showRuns serves the page on this machine alone until the command is interrupted.
func showRuns(command *cobra.Command, page *tracediff.Page, opens bool) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	pass := httpserve.Pass{
		Token: httpserve.NewToken(), Cookie: fmt.Sprintf("reconcile-runs-%d", listener.Addr().(*net.TCPAddr).Port), Path: "/",
		SameSite: http.SameSiteStrictMode, Remedy: "open the address that lab printed",
	}
	address := fmt.Sprintf("http://%s/?token=%s", listener.Addr(), pass.Token)
	fmt.Fprintf(command.OutOrStdout(), "\nTo look into both: %s (ctrl-C ends)\n", address)
	if opens {
		httpserve.OpenBrowser(command.OutOrStdout(), address)
	}
	return httpserve.Serve(command.Context(), patient(command, listener), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pass.Opens(w, r) {
			page.ServeHTTP(w, r)
		}
	}))
}
