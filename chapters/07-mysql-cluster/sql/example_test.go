package sql_test

import (
	"fmt"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// A statement is text, then a tree, and then something that is done to tables.
// What cannot be parsed is refused as MySQL does.
func ExampleParse() {
	tables := sql.NewTables()
	for _, text := range []string{
		"CREATE DATABASE shop",
		"CREATE TABLE orders (id INT PRIMARY KEY)",
		"INSERT INTO orders VALUES (1), (12), (123)",
		"SELECT id FROM orders WHERE id > 10",
		"SELECT id FORM orders",
	} {
		st, err := sql.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		result, err := tables.Execute("shop", st, nil)
		fmt.Println(sql.Writes(st), result.Affected, result.Rows, err)
	}
	// Output:
	// true 1 [] <nil>
	// true 0 [] <nil>
	// true 3 [] <nil>
	// false 0 [[12] [123]] <nil>
	// ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'orders' at line 1
}
