// Package wire speaks MySQL's protocol, at both ends: a server hands ServeConn each
// connection and answers SQL, and a slave or a client asks through a Conn. MySQL's
// own clients and Go's driver cannot tell it from the real one.
//
// In reading order:
//
//	serve.go    what a server has to answer, and how it is asked
//	session.go  what a connection remembers
//	conn.go     the other end
//	login.go    who comes in, at both ends
//	packet.go   what both send each other; result.go: answers
//
// github.com/go-mysql-org/go-mysql (v1.15.0) was weighed: it would do in a bubble,
// starts no goroutine, and makes no keys if it is told so. But its server numbers
// connections for a whole process, so that what SHOW PROCESSLIST prints would hang
// on who else is in it; it leaves out the words behind an OK ("Rows matched: 1");
// and it waits for a binlog's next event without noticing that the slave has gone.
// Sessions and the binlog would stay ours, and fewer than 600 lines would go.
package wire
