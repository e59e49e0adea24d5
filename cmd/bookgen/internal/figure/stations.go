package figure

import (
	"errors"
	"fmt"
	"strconv"
)

// An itinerary is the data of a map: stations that a chapter builds, in the
// order in which something passes through them.
type itinerary struct {
	Title    string    `json:"title"`
	Stations []station `json:"stations"`
	Back     string    `json:"back"` // the label of the way from the last to the first

	built int // how many are built already, the last of them just now
}

type station struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Answers string `json:"answers"` // which question
	File    string `json:"file"`    // where it is built
}

const maxStations = 6

// readItinerary reads a map; built says, as a number, how many of its stations
// are built.
func readItinerary(data []byte, built string) (*itinerary, error) {
	var m itinerary
	if err := decode(data, &m); err != nil {
		return nil, err
	}
	if n := len(m.Stations); n < 2 || n > maxStations {
		return nil, fmt.Errorf("%d stations: a map has 2 to %d", n, maxStations)
	}
	known := map[string]bool{}
	for i, s := range m.Stations {
		switch {
		case s.ID == "" || s.Label == "" || s.Answers == "" || s.File == "":
			return nil, fmt.Errorf("stations[%d]: it needs an id, a label, what it answers, and a file", i)
		case known[s.ID]:
			return nil, fmt.Errorf("stations[%d]: id %q is taken", i, s.ID)
		}
		known[s.ID] = true
	}
	if m.Back == "" {
		return nil, errors.New("a map needs a back: what the last station sends to the first")
	}
	n, err := strconv.Atoi(built)
	if err != nil || n < 0 || n > len(m.Stations) {
		return nil, fmt.Errorf(`%q of the stations are built: write "map 0" to "map %d"`, built, len(m.Stations))
	}
	m.built = n
	return &m, nil
}

// look returns the class of the i-th station's box.
func (m *itinerary) look(i int) string {
	switch {
	case m.built == 0 || i < m.built-1:
		return "f-y"
	case i == m.built-1:
		return "f-j"
	}
	return "f-l"
}
