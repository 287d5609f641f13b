package client_test

import (
	"context"
	"fmt"
	"log"

	"stele/client"
	"stele/record"
)

func ExampleAll() {
	ctx := context.Background()
	c, err := client.Open(ctx, "../release/testdata/first", client.Options{}) // or https://…
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for e, err := range client.All[record.Entity](ctx, c) {
		if err != nil {
			log.Fatal(err)
		}
		if e.Standing == nil { // nothing is known against it
			fmt.Println(e.ID, e.Record.Version, e.Record.Title)
		}
	}
	// Output:
	// ent-measles 1 Measles
}

func ExampleGet() {
	ctx := context.Background()
	c, err := client.Open(ctx, "../release/testdata/first", client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	e, err := client.Get[record.Entity](ctx, c, "ent-measles")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Record.Title)
	// Output:
	// Measles
}

func ExampleChanges() {
	ctx := context.Background()
	c, err := client.Open(ctx, "../release/testdata/first", client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	last := c.Manifest().Release // kept from the last time
	if _, err := c.Update(ctx); err != nil {
		log.Fatal(err)
	}
	count := 0
	for change, err := range client.Changes[record.Entity](ctx, c, last) {
		if err != nil { // client.ErrTooOld: read all of them
			log.Fatal(err)
		}
		if count++; change.Record == nil {
			fmt.Println(change.ID, "is gone")
		}
	}
	fmt.Println(count)
	// Output:
	// 0
}
