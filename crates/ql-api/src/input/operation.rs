//! Operations on the topical map, as arguments.

use ql_app::Result;
use ql_core::topical_map::{AddNode, NodeKind, Operation, UpdateNode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::argument::{self, Combination};

/// What to do with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
enum Op {
    #[serde(rename = "add_node")]
    Add,
    #[serde(rename = "update_node")]
    Update,
    #[serde(rename = "move_node")]
    Move,
    #[serde(rename = "retire_node")]
    Retire,
}

/// One operation on the map.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct OperationArguments {
    /// `move_node` takes parent, `retire_node` nothing more.
    op: Op,
    /// Never changes.
    key: String,
    /// For `add_node`.
    #[schemars(schema_with = "kind")]
    #[serde(default)]
    kind: Option<NodeKind>,
    /// For `add_node`, or a new one.
    #[serde(default)]
    title: Option<String>,
    /// The search it answers.
    #[serde(default)]
    query: Option<String>,
    /// Such as informational.
    #[serde(default)]
    intent: Option<String>,
    /// Key of the pillar or cluster above.
    #[serde(default)]
    parent: Option<String>,
    /// Of a page.
    #[serde(default)]
    template: Option<String>,
}

fn kind(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(NodeKind::ALL.map(NodeKind::as_str))
}

/// Reads every operation; `at` is where they are.
pub(crate) fn read(operations: Vec<OperationArguments>, at: &str) -> Result<Vec<Operation>> {
    let operations = operations.into_iter().enumerate();
    operations
        .map(|(index, operation)| operation.read(&format!("{at}/{index}")))
        .collect()
}

impl OperationArguments {
    fn read(self, at: &str) -> Result<Operation> {
        match self.op {
            Op::Add => self.add(at),
            Op::Update => {
                self.alone(
                    "update_node",
                    at,
                    &["/title", "/query", "/intent", "/template"],
                )?;
                Ok(Operation::UpdateNode(UpdateNode {
                    key: self.key,
                    title: self.title,
                    query: self.query,
                    intent: self.intent,
                    template: self.template,
                }))
            }
            Op::Move => {
                self.alone("move_node", at, &["/parent"])?;
                Ok(Operation::MoveNode {
                    key: self.key,
                    parent: self.parent,
                })
            }
            Op::Retire => {
                self.alone("retire_node", at, &[])?;
                Ok(Operation::RetireNode { key: self.key })
            }
        }
    }

    fn add(self, at: &str) -> Result<Operation> {
        let mut combination = Combination::under(at);
        let kind = combination.required("/kind", self.kind, "add_node says what the node is");
        let title = combination.required("/title", self.title, "add_node names the node");
        let (kind, title) = combination.finish(kind.zip(title))?;
        Ok(Operation::AddNode(AddNode {
            key: self.key,
            kind,
            title,
            query: self.query,
            intent: self.intent,
            parent: self.parent,
            template: self.template,
        }))
    }

    /// Refuses members that an operation doesn't take.
    fn alone(&self, op: &str, at: &str, takes: &[&str]) -> Result<()> {
        let given = [
            ("/kind", self.kind.is_some()),
            ("/title", self.title.is_some()),
            ("/query", self.query.is_some()),
            ("/intent", self.intent.is_some()),
            ("/parent", self.parent.is_some()),
            ("/template", self.template.is_some()),
        ];
        let mut combination = Combination::under(at);
        let others = given.into_iter().filter(|(name, _)| !takes.contains(name));
        combination.refuse(op, others);
        combination.finish(Some(()))
    }
}
