//! What a result cost.

use serde_json::json;

use super::Input;
use crate::finding::{Code, Finding};
use crate::money::Micros;

/// What was spent, as the server measured it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// So much; known to be nothing is zero.
    Known(Micros),
    /// The provider told no usage that could be priced.
    Unknown,
    /// Nobody measures it: an agent of somebody else's did the work.
    Elsewhere,
}

/// Compares what was spent with the budget and with what the agent says.
pub(super) fn look(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let (budget, stated) = (input.task.budget_usd, input.result.cost_usd);
    let spent = match input.spent {
        Spent::Known(spent) => spent,
        Spent::Unknown => {
            let message = "the provider's answer has no usage that could be priced";
            findings.push(Finding::new(Code::CostUnknown, "/cost_usd", message));
            return;
        }
        Spent::Elsewhere => return,
    };
    let evidence = json!({
        "budget_micros": budget.get(), "spent_micros": spent.get(), "stated_micros": stated.get(),
    });
    if spent > budget {
        let message = format!("{spent} dollars were spent of {budget}");
        findings
            .push(Finding::new(Code::BudgetExceeded, "/cost_usd", message).with(evidence.clone()));
    }
    if spent != stated {
        let message = format!("the agent states {stated} dollars; {spent} were measured");
        findings.push(Finding::new(Code::CostMisstated, "/cost_usd", message).with(evidence));
    }
}
