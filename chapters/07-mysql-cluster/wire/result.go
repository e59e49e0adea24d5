package wire

import (
	"encoding/binary"
	"errors"
	"strconv"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// The types of columns on the wire that there are here, and what else a number
// can be called by other servers.
const (
	typeLong     = 3
	typeLongLong = 8
	typeInt24    = 9
	typeYear     = 13
	typeString   = 253

	flagNotNull = 1
)

// answer sends the result of a statement, or its error.
func (p *packets) answer(r *sql.Result, err *sql.Error) error {
	switch {
	case err != nil:
		return p.send(errorPacket(err))
	case r.Columns == nil:
		return p.send(okPacket(r))
	}
	p.write(appendInt(nil, uint64(len(r.Columns))))
	for i, name := range r.Columns {
		p.write(columnPacket(name, typeOf(r, i), r.CanBeNull(i)))
	}
	p.write(endPacket(r))
	var b []byte
	for _, row := range r.Rows {
		b = b[:0]
		for _, v := range row {
			if v == nil {
				b = append(b, 0xfb)
			} else {
				b = appendString(b, sql.Text(v))
			}
		}
		if err := p.write(b); err != nil {
			return err
		}
	}
	return p.send(endPacket(r))
}

// typeOf returns the type of a column: a number if nothing else is in it.
func typeOf(r *sql.Result, column int) byte {
	t := byte(typeString)
	for _, row := range r.Rows {
		switch row[column].(type) {
		case int64:
			t = typeLongLong
		case string:
			return typeString
		}
	}
	return t
}

// IsNumber reports whether a column has nothing but numbers in it.
func IsNumber(r *sql.Result, column int) bool {
	return typeOf(r, column) == typeLongLong
}

func okPacket(r *sql.Result) []byte {
	b := appendInt([]byte{0}, r.Affected)
	b = appendInt(b, r.InsertID)
	b = binary.LittleEndian.AppendUint16(b, statusOK)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.Warnings)))
	if r.Info != "" {
		b = appendString(b, r.Info)
	}
	return b
}

func errorPacket(err *sql.Error) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0xff}, err.Code)
	return append(b, "#"+err.State+err.Message...)
}

func endPacket(r *sql.Result) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0xfe}, uint16(len(r.Warnings)))
	return binary.LittleEndian.AppendUint16(b, statusOK)
}

// columnPacket describes a column: its name comes after those of a catalog, a
// database and a table, which no client needs.
func columnPacket(name string, typ byte, nullable bool) []byte {
	b := appendString(nil, "def")
	b = append(b, 0, 0, 0)
	b = appendString(b, name)
	b = append(b, 0, 12)
	charset, length := uint16(charsetUTF8), uint32(1<<16)
	if typ == typeLongLong {
		charset, length = 63, 20 // binary
	}
	b = binary.LittleEndian.AppendUint16(b, charset)
	b = binary.LittleEndian.AppendUint32(b, length)
	flags := byte(flagNotNull)
	if nullable {
		flags = 0
	}
	return append(b, typ, flags, 0, 0, 0, 0)
}

// readError returns the error that a packet is, or nil.
func readError(packet []byte) error {
	in := &fields{rest: packet}
	if len(packet) == 0 || in.fixed(1) != 0xff {
		return nil
	}
	e := &sql.Error{Code: uint16(in.fixed(2)), State: "HY000"}
	if len(in.rest) > 5 && in.rest[0] == '#' {
		in.bytes(1)
		e.State = string(in.bytes(5))
	}
	e.Message = string(in.rest)
	return e
}

// readResult reads what answer has sent. Of warnings it says how many.
func (p *packets) readResult() (*sql.Result, error) {
	first, err := p.read()
	if err != nil {
		return nil, err
	}
	if err := readError(first); err != nil {
		return nil, err
	}
	in := &fields{rest: first}
	n := in.int()
	if n == 0 {
		r := &sql.Result{Affected: in.int(), InsertID: in.int()}
		in.bytes(2)
		r.Warnings = make([]sql.Warning, in.fixed(2))
		r.Info = string(in.bytes(min(in.int(), uint64(len(in.rest)))))
		return r, nil
	}
	r := &sql.Result{Columns: make([]string, 0, min(n, 1<<12))}
	var types []byte
	for range n {
		packet, err := p.read()
		if err != nil {
			return nil, err
		}
		name, typ, nullable, err := readColumn(packet)
		if err != nil {
			return nil, err
		}
		r.Columns, types = append(r.Columns, name), append(types, typ)
		r.Nullable = append(r.Nullable, nullable)
	}
	if _, err := p.read(); err != nil { // the columns' end
		return nil, err
	}
	return r, p.readRows(r, types)
}

func readColumn(packet []byte) (
	name string, typ byte, nullable bool, err error,
) {
	in := &fields{rest: packet}
	for range 4 {
		in.string()
	}
	name = in.string()
	in.string()
	in.bytes(7)
	typ = byte(in.fixed(1))
	nullable = in.fixed(1)&flagNotNull == 0
	if in.bad {
		err = errors.New("malformed column")
	}
	return name, typ, nullable, err
}

func (p *packets) readRows(r *sql.Result, types []byte) error {
	for {
		packet, err := p.read()
		if err != nil {
			return err
		}
		if err := readError(packet); err != nil {
			return err
		}
		in := &fields{rest: packet}
		if len(packet) < 9 && len(packet) > 0 && packet[0] == 0xfe {
			in.bytes(1)
			r.Warnings = make([]sql.Warning, in.fixed(2))
			return nil
		}
		row := make([]sql.Value, len(types))
		for i, typ := range types {
			if !in.isNull() {
				row[i] = readValue(typ, in.string())
			}
		}
		if in.bad {
			return errors.New("malformed row")
		}
		r.Rows = append(r.Rows, row)
	}
}

// readValue returns a value that came as text: a number if its type says so and
// it fits.
func readValue(typ byte, s string) sql.Value {
	switch {
	case typ >= 1 && typ <= typeLong, typ == typeLongLong,
		typ == typeInt24, typ == typeYear:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	}
	return s
}
