package mysqlcluster

import (
	"fmt"
	"io"
	"time"
)

// errorLog is what a server says of itself, line by line.
type errorLog struct{ out io.Writer }

func (l *errorLog) note(text string)  { l.write("Note", text) }
func (l *errorLog) error(text string) { l.write("ERROR", text) }

func (l *errorLog) write(level, text string) {
	fmt.Fprintf(l.out, "%s 0 [%s] %s\n",
		time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), level, text)
}
