package wire

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"slices"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// Either side of a connection says what it can.
const (
	canLongPassword   = 1 << 0
	canLongFlag       = 1 << 2
	canConnectWithDB  = 1 << 3
	canProtocol41     = 1 << 9
	canTransactions   = 1 << 13
	canSecure         = 1 << 15
	canPluginAuth     = 1 << 19
	canLongAuthAnswer = 1 << 21

	canAll = canLongPassword | canLongFlag | canConnectWithDB |
		canProtocol41 | canTransactions | canSecure | canPluginAuth |
		canLongAuthAnswer
)

const (
	nativePassword = "mysql_native_password"
	charsetUTF8    = 33
	statusOK       = 2 // autocommit
)

// users are those who are let in, each with root's password: root, and the account of
// an operator.
var users = []string{"root", "operator"}

// LetsIn reports whether a user of this name is let in, with root's password.
func LetsIn(user string) bool { return slices.Contains(users, user) }

// greet greets, and lets in who gives root's password. It returns the database
// that the client wants to begin with.
func (p *packets) greet(s *Session) (string, error) {
	salt := rand.Text()[:20]
	if err := p.send(greeting(s, salt)); err != nil {
		return "", err
	}
	answer, err := p.read()
	if err != nil {
		return "", err
	}
	in := &fields{rest: answer}
	can := in.fixed(4)
	if in.bytes(28); can&canProtocol41 == 0 || in.bad { // size, charset
		return "", &sql.Error{Code: 1043, State: "08S01", Message: "Bad handshake"}
	}
	s.User = in.zero()
	var proof []byte
	if can&canLongAuthAnswer != 0 {
		proof = in.bytes(in.int())
	} else {
		proof = in.bytes(in.fixed(1))
	}
	db := ""
	if can&canConnectWithDB != 0 {
		db = in.zero()
	}
	if can&canPluginAuth != 0 && in.zero() != nativePassword {
		if proof, err = p.askAgain(salt); err != nil {
			return "", err
		}
	}
	if LetsIn(s.User) && bytes.Equal(proof, proofOf(s.Password, salt)) {
		return db, nil
	}
	using := "YES"
	if len(proof) == 0 {
		using = "NO"
	}
	return "", sql.NewError(1045, s.User, s.Host, using)
}

// greeting returns what a server says first.
func greeting(s *Session, salt string) []byte {
	b := append([]byte{10}, s.Version+"\x00"...)
	b = binary.LittleEndian.AppendUint32(b, s.ID)
	b = append(b, salt[:8]+"\x00"...)
	b = binary.LittleEndian.AppendUint16(b, canAll&0xffff)
	b = append(b, charsetUTF8, statusOK, 0)
	b = binary.LittleEndian.AppendUint16(b, canAll>>16)
	b = append(b, byte(len(salt)+1))
	b = append(b, make([]byte, 10)...)
	return append(b, salt[8:]+"\x00"+nativePassword+"\x00"...)
}

// askAgain asks a client to prove who it is in the way that there is.
func (p *packets) askAgain(salt string) ([]byte, error) {
	err := p.send([]byte("\xfe" + nativePassword + "\x00" + salt + "\x00"))
	if err != nil {
		return nil, err
	}
	return p.read()
}

// proofOf proves that one knows a password, for this salt only. No password
// needs no proof.
func proofOf(password, salt string) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	proof := sha1.Sum(append([]byte(salt), twice[:]...))
	for i := range proof {
		proof[i] ^= once[i]
	}
	return proof[:]
}

// login does the client's half of greet.
func (c *Conn) login(user, password, db string) error {
	hello, err := c.read()
	if err != nil {
		return err
	}
	in := &fields{rest: hello}
	if in.fixed(1) == 0xff {
		return readError(hello)
	}
	c.Version, c.ID = in.zero(), uint32(in.fixed(4))
	salt := string(in.bytes(8))
	in.bytes(19) // what it can, and what has no use
	salt += string(in.bytes(12))
	proof := proofOf(password, salt)
	if err := c.send(introduction(user, proof, db)); err != nil {
		return err
	}
	answer, err := c.read()
	if err == nil && len(answer) > 0 && answer[0] == 0xfe { // askAgain
		again := &fields{rest: answer[1:]}
		again.zero()
		if err = c.send(proofOf(password, again.zero())); err == nil {
			answer, err = c.read()
		}
	}
	if err != nil {
		return err
	}
	return readError(answer)
}

// introduction returns what a client says first.
func introduction(user string, proof []byte, db string) []byte {
	can := uint32(canAll &^ canConnectWithDB)
	if db != "" {
		can |= canConnectWithDB
		db += "\x00"
	}
	b := binary.LittleEndian.AppendUint32(nil, can)
	b = binary.LittleEndian.AppendUint32(b, fullPacket)
	b = append(b, charsetUTF8)
	b = append(b, make([]byte, 23)...)
	b = append(b, user+"\x00"...)
	b = appendString(b, string(proof))
	return append(b, db+nativePassword+"\x00"...)
}
