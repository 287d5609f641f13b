// Immunization turns a wide table of immunization coverage, cases and deaths into a folder of Stele
// records in long form: one healthcare statistic for each value, with the indicators and regions as
// entities and the sources that the figures come from.
//
// The same table always gives the same bytes. Nothing is written unless the whole table could be
// read, and no file is ever overwritten.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
)

//go:embed countries.csv
var countries []byte

func main() {
	out := flag.String("o", "", "write the records to this `folder`, which must be new or empty")
	in := flag.String("in", "", "read the table from this `file` (default: the table that comes with this program)")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "immunization:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	content, name := countries, "countries.csv"
	if in != "" {
		var err error
		if content, err = os.ReadFile(in); err != nil {
			return fmt.Errorf("read the table: %w", err)
		}
		name = in
	}
	t, err := convert(content, out)
	if err != nil {
		return fmt.Errorf("convert %s: %w", name, err)
	}
	fmt.Printf("%d values from %d rows, written to %s\n", t.values(), t.rows, out)
	return nil
}

// convert writes a table as a folder of records, and returns what it read.
func convert(content []byte, out string) (*table, error) {
	t, err := readTable(content)
	if err != nil {
		return nil, err
	}
	if err := t.writeRecords(folder(out)); err != nil {
		return nil, err
	}
	return t, nil
}
