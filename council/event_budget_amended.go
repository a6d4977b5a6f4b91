package council

// BudgetAmended replaces the budget of the whole session.
//
// Protocol: 69, 84.
type BudgetAmended struct {
	By     string `json:"by" text:"name"`
	Budget Budget `json:"budget"` // absent caps are none
}

// Row implements [Payload].
func (BudgetAmended) Row() Row { return Row{Type: "BUDGET_AMENDED"} }

func (BudgetAmended) ruling() {}
