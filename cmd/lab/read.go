package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reconcile/cmd/lab/pages"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/httpserve"
)

func newReadCommand() *cobra.Command {
	address, port := "127.0.0.1", 0
	command := &cobra.Command{
		Use:   "read",
		Short: "Serve the pages of the book to a browser on this machine",
		Long: `Serve the pages of the book to a browser on this machine, until ctrl-C. A lab that
was packed for a workshop has them in itself, and needs neither the book's folder
nor Go. Any other serves the folder site of the book.

With --address the browsers of a room read along; pages that were packed with --live
can be written in there, and a participant's machine needs nothing but a browser.
0.0.0.0 is every address of this machine, and those that a room can type are printed.`,
		Example: "  go run ./cmd/lab read\n  go run ./cmd/lab read --address 192.168.1.7 --port 8080",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			book, err := theBook()
			if err != nil {
				return err
			}
			return serve(command, book, net.JoinHostPort(address, strconv.Itoa(port)))
		},
	}
	command.Flags().IntVar(&port, "port", port, "to serve on; 0 takes one that is free")
	command.Flags().StringVar(&address, "address", address, "of this machine, for others to reach")
	return command
}

// theBook serves the site that this program has in itself or, in the book's folder, the
// one that is there. The pages of that lead to files of the chapters.
func theBook() (http.Handler, error) {
	if files, ok := pages.FS(); ok {
		return http.FileServerFS(files), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w, err := workspace.Find(dir)
	if err != nil {
		return nil, err
	}
	site, err := closed(w.Root(), "site")
	if err == nil {
		_, err = fs.Stat(site, "index.html")
	}
	if err != nil {
		return nil, errors.New("the pages are not built: go run ./cmd/bookgen build")
	}
	chapters, err := closed(w.Root(), "chapters")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(site))
	mux.Handle("/chapters/", http.StripPrefix("/chapters", http.FileServerFS(chapters)))
	return mux, nil
}

// closed returns the files of a folder of the book. No link leads out of it: every
// user of the machine may read what is served.
func closed(root, folder string) (fs.FS, error) {
	opened, err := os.OpenRoot(filepath.Join(root, folder))
	if err != nil {
		return nil, err
	}
	return opened.FS(), nil
}

// serve answers at an address of this machine until the command is interrupted.
func serve(command *cobra.Command, book http.Handler, address string) error {
	listener, err := listen(address)
	if err != nil {
		return err
	}
	fmt.Fprintf(command.OutOrStdout(), "The book is at %s (ctrl-C ends)\n", where(listener))
	return httpserve.Serve(command.Context(), patient(command, listener), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserve.Packed(w, r)
		book.ServeHTTP(w, r)
	}))
}

// listen takes an address of this machine. Its error tells a port that another program
// has from an address that the machine has not.
func listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	host, _, _ := net.SplitHostPort(address)
	probe, elsewhere := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if elsewhere != nil {
		return nil, fmt.Errorf("%w; --address takes one of this machine's", err)
	}
	probe.Close()
	return nil, fmt.Errorf("%w; --port 0 takes a free one", err)
}

// where returns what a browser asks for: of a listener at all of this machine's addresses,
// those that others reach.
func where(listener net.Listener) string {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !at.IP.IsUnspecified() {
		return fmt.Sprintf("http://%s/", listener.Addr())
	}
	var found []string
	all, _ := net.InterfaceAddrs()
	for _, address := range all {
		if of, ok := address.(*net.IPNet); ok && of.IP.To4() != nil && !of.IP.IsLoopback() {
			found = append(found, fmt.Sprintf("http://%s:%d/", of.IP, at.Port))
		}
	}
	if len(found) == 0 {
		return fmt.Sprintf("http://127.0.0.1:%d/, and this machine is in no network", at.Port)
	}
	return strings.Join(found, " or ")
}

// patient has a command tell what keeps connections waiting.
func patient(command *cobra.Command, listener net.Listener) net.Listener {
	return httpserve.Patient(listener, func(err error) { fmt.Fprintln(command.ErrOrStderr(), "lab:", err) })
}
