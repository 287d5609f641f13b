package places

var (
	Lists = countries + regions
	Fold  = fold
)
