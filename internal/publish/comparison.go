package publish

import (
	"bytes"
	"fmt"

	"stele/internal/check"
	"stele/record"
	"stele/release"
)

// comparison compares the records of a kind that changed with what they were.
type comparison struct {
	b       *builder
	kind    *record.Kind
	listing *listing
	changed []int // places in the listing; those that are left
}

// change is a record before and after.
type change struct {
	check.Change
	old []byte // nil as long as it is not read
	err error
}

// comparedAtOnce is how many records are held for comparing them on all cores.
const comparedAtOnce = 256

func (c *comparison) run() error {
	if c.fewSingles() {
		if done, err := c.fromSingles(); done || err != nil {
			return err
		}
	}
	if len(c.changed) == 0 {
		return nil
	}
	return c.fromCollection()
}

// fewSingles reports whether it takes less to read the files of the changed records than their
// collection.
func (c *comparison) fewSingles() bool {
	const often = 20
	return c.kind.HasSingle() && len(c.changed)*often < c.listing.items.Len() && c.b.previous.release.AtHand()
}

// fromSingles reads the old records from their files. It is done unless one of them is missing or
// damaged; the collection has it then.
func (c *comparison) fromSingles() (done bool, err error) {
	for len(c.changed) > 0 {
		batch := make([]change, min(comparedAtOnce, len(c.changed)))
		c.each(batch, func(place int, one *change) {
			one.old, one.err = c.b.previous.release.Single(
				c.kind.Name,
				string(c.listing.id(place)),
				c.listing.items.At(place).sum,
			)
		})
		for i := range batch {
			if batch[i].err != nil {
				return false, nil
			}
		}
		if err := c.compare(batch); err != nil {
			return false, err
		}
	}
	return true, nil
}

// fromCollection reads the old records from their collection.
func (c *comparison) fromCollection() error {
	var batch []change
	place := -1
	for old, err := range c.b.previous.release.Records(c.kind.Name) {
		if err != nil {
			return fmt.Errorf("the previous release cannot be read: %w", err)
		}
		if place++; len(batch) == len(c.changed) || place != c.changed[len(batch)] {
			continue
		}
		if release.Sum(old) != c.listing.items.At(place).sum {
			return fmt.Errorf("the previous release cannot be read: record %s is not the one that its listing describes", c.listing.id(place))
		}
		if batch = append(batch, change{old: bytes.Clone(old)}); len(batch) == comparedAtOnce {
			if err := c.compare(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return c.compare(batch)
}

// each does something for the changes at the first places that are left, on all cores.
func (c *comparison) each(batch []change, do func(place int, one *change)) {
	const part = 16
	inOrder((len(batch)+part-1)/part, func(n int) int {
		for i := n * part; i < min(len(batch), (n+1)*part); i++ {
			do(c.changed[i], &batch[i])
		}
		return n
	}, func(int) {})
}

// compare makes the events for the changes at the first places that are left.
func (c *comparison) compare(batch []change) error {
	c.each(batch, func(place int, one *change) { one.err = c.read(one, c.listing.items.At(place).now) })
	for i := range batch {
		if err := batch[i].err; err != nil {
			return err
		}
		c.b.addChange(c.kind, c.listing.items.At(c.changed[i]), &batch[i].Change)
	}
	c.changed = c.changed[len(batch):]
	return nil
}

// read finds what differs between what a record was and is.
func (c *comparison) read(one *change, number int32) error {
	now, err := c.b.spool.recordAlone(number)
	if err != nil {
		return err
	}
	if one.Change, err = check.Compare(one.old, now); err != nil {
		return fmt.Errorf("the previous release cannot be read: %w", err)
	}
	return nil
}
