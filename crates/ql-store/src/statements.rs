//! Every statement of the crate, for the check that each engine accepts each of them.

use crate::{
    agent, artifact, brief, checkpoint, connection, content, delivery, evidence, form, idempotency,
    internal_link, job, lease, ledger, member, opportunity, organization, policy, proposal,
    reverification, run, session, site, source, strategy, submission, template, topical_map, tree,
};

/// Every statement, in the common dialect.
pub fn all() -> impl Iterator<Item = &'static str> {
    [
        agent::STATEMENTS,
        artifact::STATEMENTS,
        brief::STATEMENTS,
        checkpoint::STATEMENTS,
        connection::STATEMENTS,
        content::STATEMENTS,
        delivery::STATEMENTS,
        evidence::STATEMENTS,
        form::STATEMENTS,
        idempotency::STATEMENTS,
        internal_link::STATEMENTS,
        job::STATEMENTS,
        lease::STATEMENTS,
        ledger::STATEMENTS,
        member::STATEMENTS,
        opportunity::STATEMENTS,
        organization::STATEMENTS,
        policy::STATEMENTS,
        proposal::STATEMENTS,
        reverification::STATEMENTS,
        run::STATEMENTS,
        session::STATEMENTS,
        site::STATEMENTS,
        strategy::STATEMENTS,
        submission::STATEMENTS,
        source::STATEMENTS,
        template::STATEMENTS,
        topical_map::STATEMENTS,
        tree::STATEMENTS,
        tree::verify::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
