package push

import "fmt"

// price is what a store asks for, in dollars for a million requests and for a gigabyte in a month.
type price struct {
	store                  string
	writes, reads, storage float64
}

// prices are list prices, without what is free and without discounts. They are here so that
// somebody can see whether a push costs cents or hundreds, and for nothing else. Of stores that are
// not here no price is told.
var prices = map[string]price{
	"s3": {"Amazon S3 Standard, US East (N. Virginia)", 5, 0.4, 0.023},
	"gs": {"Google Cloud Storage, Standard, one region in the USA", 5, 0.4, 0.020},
}

// pricesAsOf is when the prices were looked up.
const pricesAsOf = "2026"

// Cost says in words what a number of requests and a pack cost, or "" where nobody asks for money.
func Cost(scheme string, p Plan, stored int64) string {
	price, ok := prices[scheme]
	if !ok {
		return ""
	}
	requests := (float64(p.Writes)*price.writes + float64(p.Reads)*price.reads) / 1e6
	return fmt.Sprintf("about $%.4f for requests, and $%.2f a month for keeping each such release (list prices of %s in %s; other regions, and other stores that speak the same, differ)",
		requests, float64(stored)/1e9*price.storage, price.store, pricesAsOf)
}
