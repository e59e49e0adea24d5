package paper

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
)

// What Chromium writes outside of streams is text: each page an object, and the
// names of places with the object of their page. Later pages have later objects.
var (
	pageObject = regexp.MustCompile(`(?m)^(\d+) 0 obj\s*<<\s*/Type /Page\b`)
	place      = regexp.MustCompile(`/([^\s/\[]+) \[(\d+) 0 R /XYZ`)
	hexed      = regexp.MustCompile(`#[0-9A-F]{2}`)
	date       = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}`)
	numbered   = regexp.MustCompile(`\(node(\d{8})\)`)
)

// pagesOf returns the number of the page, from 1, on which each element lies that a
// link leads to, by the element's id.
func pagesOf(pdf []byte) (map[string]int, error) {
	number := map[string]int{}
	for _, m := range pageObject.FindAllSubmatch(pdf, -1) {
		number[string(m[1])] = len(number) + 1
	}
	lies := map[string]int{}
	for _, m := range place.FindAllSubmatch(pdf, -1) {
		if string(m[1]) == "Dest" { // a bookmark's
			continue
		}
		name := hexed.ReplaceAllFunc(m[1], func(code []byte) []byte {
			n, _ := strconv.ParseUint(string(code[1:]), 16, 8) // two digits
			return []byte{byte(n)}
		})
		id, err := url.PathUnescape(string(name)) // it is the link's, as it was written
		if err != nil {
			return nil, fmt.Errorf("read the PDF: %w", err)
		}
		page, ok := number[string(m[2])]
		if !ok {
			return nil, fmt.Errorf("read the PDF: %s lies on no page", id)
		}
		lies[id] = page
	}
	if len(lies) == 0 {
		return nil, errors.New("read the PDF: it names no places")
	}
	return lies, nil
}

// settled takes out of a PDF what is of one print alone: its time, and the numbers that the
// browser gave to elements. They keep their order.
func settled(pdf []byte) []byte {
	pdf = date.ReplaceAllFunc(pdf, func(m []byte) []byte {
		at := bytes.IndexByte(m, ':') + 1
		return append(m[:at:at], "20000101000000"...)
	})
	rank := map[string]int{}
	for _, m := range numbered.FindAllSubmatch(pdf, -1) {
		rank[string(m[1])] = 0
	}
	for i, number := range slices.Sorted(maps.Keys(rank)) {
		rank[number] = i + 1
	}
	return numbered.ReplaceAllFunc(pdf, func(m []byte) []byte {
		return fmt.Appendf(nil, "(node%08d)", rank[string(m[len("(node"):len(m)-1])])
	})
}
