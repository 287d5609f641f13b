package places

var (
	Lists = countries + regions
	Fold  = comparableName
)
