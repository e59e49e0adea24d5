package mend_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

//book:exercise 7j
func TestTheMastersRowTakesThePlaceOfTheSlavesOwn(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'a test of mine', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)",
			"INSERT INTO shop.orders VALUES (5, 'for Dora', 1)")
		w.collides()
		w.mends()
	})
}

// One statement of the master's meets two of them.
//
//book:exercise 7j
func TestEachRowThatIsInTheWayGoes(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'one', 9), (5, 'two', 9), (6, 'three', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)",
			"INSERT INTO shop.orders VALUES (5, 'for Dora', 1), (6, 'for Emil', 4), (7, 'for Fritz', 3)")
		w.collides()
		w.mends()
	})
}

// It would be the next night's alarm.
//
//book:exercise 7j
func TestARowThatIsNotYetInTheWayIsFoundToo(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'one', 9), (40, 'another', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		w.mends()
		w.master.do("INSERT INTO shop.orders VALUES (40, 'for Dora', 1)")
		time.Sleep(time.Second)
		assert.Equal(t, "0 Yes", w.slave.status("Last_SQL_Errno", "Slave_SQL_Running"), "the slave's error, and whether it executes")
	})
}

// It may be an order that a customer has been told about.
//
//book:exercise 7j
func TestARowThatGoesIsPrinted(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'for Barend', 9), (40, 'for Gesa', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		printed, _ := w.runs()
		assert.Contains(t, printed, "for Barend", "what the script printed")
		assert.Contains(t, printed, "for Gesa", "what the script printed")
		assert.NotContains(t, printed, "coffee", "what the script printed")
	})
}

// A slave that stands still is behind, and a row that differs may be right.
//
//book:exercise 7j
func TestWhatTheMasterHasDoneSinceIsDoneOnce(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'a test of mine', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		w.master.do("UPDATE shop.orders SET cups = cups + 1 WHERE id IN (2, 4)",
			"INSERT INTO shop.visits VALUES ('/'), ('/tea')",
			"DELETE FROM shop.orders WHERE id = 3",
			"INSERT INTO shop.orders VALUES (5, 'for Dora', 1)")
		time.Sleep(time.Second)
		w.mends()
	})
}

//book:exercise 7j
func TestOrdersThatComeInMeanwhileStay(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'one', 9), (40, 'another', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		w.coming.Store(4)
		w.mends()
	})
}

//book:exercise 7j
func TestNoClientCanWriteThereAfterwards(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'a test of mine', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		w.mends()
		_, err := w.slave.query("DELETE FROM shop.visits")
		assert.ErrorContains(t, err, "--super-read-only", "a client's DELETE on the slave")
	})
}

//book:exercise 7j
func TestAnotherErrorIsLeftToAPerson(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'a test of mine', 9)",
			"CREATE DATABASE reports")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)",
			"CREATE DATABASE reports", "INSERT INTO shop.visits VALUES ('/tea')")
		w.collides()
		for range 2 {
			_, code := w.runs()
			assert.NotZero(t, code, "the script's exit code, where the slave still stands still")
			assert.Equal(t, "1007 No", w.slave.status("Last_SQL_Errno", "Slave_SQL_Running"), "the slave's error, and whether it executes")
			assert.Contains(t, w.slave.shop(), "4 for Carla 2", "what came before that is done")
		}
	})
}

//book:exercise 7j
func TestWhereNothingIsWrongNothingIsDone(t *testing.T) {
	mending(t, func(w *world) {
		w.slave.writes("INSERT INTO shop.orders VALUES (4, 'a test of mine', 9)")
		w.master.do("INSERT INTO shop.orders VALUES (4, 'for Carla', 2)")
		w.collides()
		w.mends()
		w.slave.do("SET GLOBAL sql_slave_skip_counter = 1") // a START SLAVE would take it
		_, code := w.runs()
		assert.Zero(t, code, "the script's exit code, where all is well")
		assert.Equal(t, int64(1), w.slave.do("SELECT @@sql_slave_skip_counter").Rows[0][0], "the slave was started anew")
		w.slave.do("SET GLOBAL sql_slave_skip_counter = 0", "STOP SLAVE")
		w.runs()
		assert.Equal(t, "No No", w.slave.status("Slave_IO_Running", "Slave_SQL_Running"), "a person has stopped it")
	})
}
