package figure

import (
	"errors"
	"fmt"
)

// A tape is the data of a log: records one behind the other, of which a kill has
// left the first bytes, and what a start on those found.
type tape struct {
	Title   string    `json:"title"`
	Bytes   int       `json:"bytes"` // before it was cut
	Cut     int       `json:"cut"`   // how many were left
	Records []stretch `json:"records"`
	Kept    int       `json:"kept"` // how many were left by the start
	Finds   []finding `json:"finds"`
}

// A stretch is one record, up to a byte.
type stretch struct {
	Statement string `json:"statement"`
	End       int    `json:"end"`

	begin int
}

// A finding is a question, and what was answered.
type finding struct {
	What string `json:"what"`
	Is   string `json:"is"`
}

const maxRecords = 8

func readTape(data []byte) (*tape, error) {
	var t tape
	if err := decode(data, &t); err != nil {
		return nil, err
	}
	if n := len(t.Records); n == 0 || n > maxRecords {
		return nil, fmt.Errorf("%d records: a page has room for 1 to %d", n, maxRecords)
	}
	end, whole := 0, 0
	for i := range t.Records {
		r := &t.Records[i]
		if r.Statement == "" || r.End <= end {
			return nil, fmt.Errorf("records[%d]: it needs a statement, and bytes behind %d", i, end)
		}
		r.begin, end = end, r.End
		if end <= t.Cut {
			whole = end
		}
	}
	switch {
	case t.Bytes != end:
		return nil, fmt.Errorf("the records end at %d, and the log at %d", end, t.Bytes)
	case t.Cut < 0 || t.Cut > t.Bytes:
		return nil, fmt.Errorf("cut at %d: there are 0 to %d bytes", t.Cut, t.Bytes)
	case t.Kept != whole:
		return nil, fmt.Errorf("%d bytes kept, of records that are whole up to %d", t.Kept, whole)
	}
	for i, f := range t.Finds {
		if f.What == "" || f.Is == "" {
			return nil, fmt.Errorf("finds[%d]: a question needs an answer", i)
		}
	}
	if len(t.Finds) == 0 {
		return nil, errors.New("it does not say what a start finds")
	}
	return &t, nil
}
