package mysqlcluster

import "io"

// OCIStreams are those of a command. Who does not want one leaves it nil.
type OCIStreams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	TTY            bool           // then there is no Stderr
	Resize         <-chan OCISize // of the terminal; closed with the streams
}

// OCISize is that of a terminal, in characters.
type OCISize struct{ Width, Height uint16 }
