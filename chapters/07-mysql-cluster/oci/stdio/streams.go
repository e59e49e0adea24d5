package stdio

import "io"

// Streams are those of a command. One that is not wanted is nil.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	TTY            bool        // then there is no Stderr
	Resize         <-chan Size // of the terminal; closed with the streams
}

// Size is that of a terminal, in characters.
type Size struct{ Width, Height uint16 }
