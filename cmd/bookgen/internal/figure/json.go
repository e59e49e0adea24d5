package figure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decode reads data into v, and takes no field that v does not know: a
// misspelt "from" would draw another arrow than the run took.
func decode(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return located(data, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("line %d: more follows after the end of the data", lineOf(data, d.InputOffset()))
	}
	return nil
}

// located adds to a decoder's error the line that it arose in.
func located(data []byte, err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: malformed JSON near %q: %w",
			lineOf(data, syntax.Offset), before(data, syntax.Offset), err)
	case errors.As(err, &mismatch):
		return fmt.Errorf("line %d: %s cannot be a %s", lineOf(data, mismatch.Offset), mismatch.Field, mismatch.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("malformed JSON: it ends in the middle")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// before returns the few characters that end at offset.
func before(data []byte, offset int64) string {
	stop := min(int(offset), len(data))
	return string(bytes.TrimSpace(data[max(0, stop-24):stop]))
}
