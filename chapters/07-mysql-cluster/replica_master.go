package mysqlcluster

import (
	"encoding/json"
	"errors"
	"io/fs"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// masterInfo is the file that has what CHANGE MASTER TO said. It is not a part
// of what a backup copies: a clone has the data of a slave, and no master.
const masterInfo = "master.info"

// master is what a replica knows of its master.
type master struct {
	Host     string
	User     string
	Password string
	Port     int64
	Retry    int64         // after how many seconds to try again
	From     wire.Position // where to begin

	// LSN is how far the redo log was at that time. Places in a master's binlog
	// up to there are those of another master, or of another time.
	LSN uint64
}

// readMaster returns what a data directory says, or nil.
func readMaster(data folder.Folder) (*master, error) {
	content, err := folder.ReadFile(data, masterInfo)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &master{}
	return m, json.Unmarshal(content, m)
}

// resume returns where to go on: behind the last event that was executed since
// the master was chosen, or where it was said to begin.
func (m *master) resume(last *change) wire.Position {
	if last.LSN > m.LSN && last.Source != (wire.Position{}) {
		return last.Source
	}
	return m.From
}

// change does CHANGE MASTER TO. Options that it does not name stay as they
// were, but for the position: that of another host is another. It is done when
// one file has taken the place of another.
func (r *replica) change(st *sql.ChangeMaster) error {
	defer r.commanded()()
	switch {
	case r.server.ServerID == 0:
		return sql.NewError(1794)
	case r.io:
		return sql.NewError(3021)
	case r.sql:
		return sql.NewError(3081)
	}
	m := master{Port: 3306, Retry: 60, From: start}
	if r.master != nil {
		m = *r.master
		m.From = r.source
	}
	if err := m.take(st.Options); err != nil {
		return err
	}
	return r.choose(&m)
}

// start is the beginning of the first binlog, whatever its name.
var start = wire.Position{Pos: int64(len(binlogMagic))}

// take takes the options of a CHANGE MASTER.
func (m *master) take(options []sql.Option) error {
	for _, o := range options {
		if o.Name == "MASTER_HOST" || o.Name == "MASTER_PORT" {
			m.From = start
		}
	}
	for _, o := range options {
		number, _ := o.Value.(int64)
		word, _ := o.Value.(string)
		switch o.Name {
		case "MASTER_HOST":
			m.Host = word
		case "MASTER_USER":
			m.User = word
		case "MASTER_PASSWORD":
			m.Password = word
		case "MASTER_PORT":
			m.Port = number
		case "MASTER_CONNECT_RETRY":
			m.Retry = number
		case "MASTER_LOG_FILE":
			m.From.File = word
		case "MASTER_LOG_POS":
			m.From.Pos = number
		case "MASTER_AUTO_POSITION":
			if number != 0 {
				return sql.NewError(1777)
			}
		}
	}
	return nil
}

// choose writes down another master, or another place to begin, or with nil
// that there is none. r.mu is held, and nothing is executed.
func (r *replica) choose(m *master) (err error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	from := wire.Position{}
	if m == nil {
		err = s.data.Remove(masterInfo)
	} else {
		from, m.LSN = m.From, s.redo.last.LSN
		var content []byte
		content, err = json.MarshalIndent(m, "", "\t")
		err = errors.Join(err, folder.Replace(s.data, masterInfo, content))
	}
	if err != nil {
		return s.fail(err)
	}
	s.redo.last.Source = wire.Position{}
	r.master, r.source, r.read = m, from, from
	r.lastIO, r.lastSQL = show.Failure{}, show.Failure{}
	r.skip.left = 0
	return nil
}

// reset does RESET SLAVE: the place is forgotten, and with all the master, too.
func (r *replica) reset(all bool) error {
	defer r.commanded()()
	switch {
	case r.server.ServerID == 0:
		return sql.NewError(1794)
	case r.io || r.sql:
		return sql.NewError(3081)
	case r.master == nil:
		return nil
	}
	if all {
		return r.choose(nil)
	}
	m := *r.master
	m.From = start
	return r.choose(&m)
}
