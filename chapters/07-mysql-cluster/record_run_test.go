package mysqlcluster

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
)

// What a slave writes when it has executed one statement of its master's, and
// which bytes of it are what.
func TestRunOfARecord(t *testing.T) {
	c := &change{
		LSN:    8,
		Source: wire.Position{File: "mysql-0-bin.000001", Pos: 314},
		event:  event{Time: 1748854813, DB: "shop", SQL: "INSERT INTO orders VALUES (3)"},
	}
	type field struct {
		At int `json:"at"`
		Is any `json:"is"`
	}
	record := c.appendRecord(nil)
	end := len(record)
	before := func(b []byte) int { return end - len(b) }
	e := c.event.appendTo(nil)
	place := appendPosition(nil, c.Source)
	fields := []field{
		{0, binary.LittleEndian.Uint32(record)},
		{recordHead, c.LSN},
		{before(e) - len(place) - len(appendPosition(nil, c.Binlog)), "none"},
		{before(e) - len(place), c.Source},
		{before(e), c.Time},
		{before(c.event.appendTo(nil)) + len(binary.AppendVarint(nil, c.Time)), c.DB},
		{end - 1 - len(appendText(nil, c.SQL)), c.SQL},
		{end - 1, len(c.Asked)},
	}
	for i := 1; i < len(fields); i++ {
		require.Less(t, fields[i-1].At, fields[i].At)
	}
	kubetest.RecordedJSON(t, "record.json", map[string]any{"fields": fields, "end": end})
}
