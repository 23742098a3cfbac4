//! Every statement of the crate, for the check that each engine accepts each of them.

use crate::{
    agent, artifact, brief, checkpoint, connection, content, conversation, delivery, evidence,
    form, idempotency, internal_link, job, lease, ledger, liveness, member, opportunity,
    organization, plan, policy, production, production_exit, production_source, proposal,
    reverification, run, runtime, session, site, source, spending, stage_task, step, strategy,
    submission, template, topical_map, tree, turn,
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
        conversation::STATEMENTS,
        delivery::STATEMENTS,
        evidence::STATEMENTS,
        form::STATEMENTS,
        idempotency::STATEMENTS,
        internal_link::STATEMENTS,
        job::STATEMENTS,
        lease::STATEMENTS,
        ledger::STATEMENTS,
        liveness::STATEMENTS,
        member::STATEMENTS,
        opportunity::STATEMENTS,
        organization::STATEMENTS,
        plan::STATEMENTS,
        policy::STATEMENTS,
        production::STATEMENTS,
        production_exit::STATEMENTS,
        production_source::STATEMENTS,
        proposal::STATEMENTS,
        reverification::STATEMENTS,
        run::STATEMENTS,
        runtime::STATEMENTS,
        session::STATEMENTS,
        site::STATEMENTS,
        step::STATEMENTS,
        strategy::STATEMENTS,
        submission::STATEMENTS,
        source::STATEMENTS,
        spending::STATEMENTS,
        stage_task::STATEMENTS,
        template::STATEMENTS,
        topical_map::STATEMENTS,
        tree::STATEMENTS,
        tree::verify::STATEMENTS,
        turn::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
