//! Every statement of the crate, for the check that each engine accepts each of them.

use crate::{
    agent, artifact, checkpoint, connection, content, delivery, evidence, form, idempotency, job,
    lease, ledger, member, organization, policy, proposal, run, session, site, submission,
    template, tree,
};

/// Every statement, in the common dialect.
pub fn all() -> impl Iterator<Item = &'static str> {
    [
        agent::STATEMENTS,
        artifact::STATEMENTS,
        checkpoint::STATEMENTS,
        connection::STATEMENTS,
        content::STATEMENTS,
        delivery::STATEMENTS,
        evidence::STATEMENTS,
        form::STATEMENTS,
        idempotency::STATEMENTS,
        job::STATEMENTS,
        lease::STATEMENTS,
        ledger::STATEMENTS,
        member::STATEMENTS,
        organization::STATEMENTS,
        policy::STATEMENTS,
        proposal::STATEMENTS,
        run::STATEMENTS,
        session::STATEMENTS,
        site::STATEMENTS,
        submission::STATEMENTS,
        template::STATEMENTS,
        tree::STATEMENTS,
        tree::verify::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
