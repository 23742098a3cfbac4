-- The agent console: conversations of people with agents, their turns and leases, task plans with
-- their steps, and what connectors report about the runtimes that sessions live in.

-- `next_turn` is the first turn that isn't over; from `claimable_at` on it can be claimed, which is
-- in the future while somebody holds its lease.
CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    started_by TEXT NOT NULL,
    session_root TEXT,
    session_tip TEXT,
    next_turn TEXT,
    claimable_at INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_by_site ON conversations (site_id, id);
CREATE INDEX conversations_unbound ON conversations (site_id, agent_id, next_turn) WHERE session_tip IS NULL AND next_turn IS NOT NULL;
CREATE INDEX conversations_open ON conversations (site_id, agent_id, claimable_at) WHERE next_turn IS NOT NULL;
CREATE INDEX conversations_claimable ON conversations (claimable_at) WHERE next_turn IS NOT NULL;

-- Every session that a conversation was ever bound to, from its root on. A session belongs to one
-- conversation of its agent, for ever.
CREATE TABLE conversation_sessions (
    agent_id TEXT NOT NULL,
    session_id TEXT NOT NULL CHECK (length(session_id) > 0),
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    seq INTEGER NOT NULL,
    bound_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, session_id),
    UNIQUE (conversation_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
    id TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    step_id TEXT,
    message TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    lease_token TEXT,
    lease_connection TEXT,
    lease_until INTEGER,
    ended_lease TEXT,
    reason TEXT,
    reply TEXT,
    run_id TEXT,
    proposal_id TEXT,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    UNIQUE (conversation_id, number)
) STRICT;
CREATE INDEX turns_open ON turns (conversation_id, number) WHERE ended_at IS NULL;
CREATE INDEX turns_held ON turns (lease_connection) WHERE lease_connection IS NOT NULL;
CREATE UNIQUE INDEX turns_by_lease ON turns (lease_token) WHERE lease_token IS NOT NULL;
CREATE INDEX turns_leased ON turns (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX turns_by_step ON turns (step_id) WHERE step_id IS NOT NULL;

-- The runs that were begun under a lease.
CREATE TABLE turn_runs (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id),
    turn_id TEXT NOT NULL REFERENCES turns (id),
    lease_token TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE task_plans (
    id TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    site_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    turn_id TEXT NOT NULL REFERENCES turns (id),
    profile_id TEXT,
    session_root TEXT NOT NULL,
    goal TEXT NOT NULL,
    version INTEGER NOT NULL,
    previous_id TEXT,
    state TEXT NOT NULL,
    settled_at INTEGER,
    superseded_by TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX task_plans_active ON task_plans (conversation_id) WHERE state = 'active';
CREATE INDEX task_plans_by_conversation ON task_plans (conversation_id, id);
CREATE INDEX task_plans_by_site ON task_plans (site_id, id);

CREATE TABLE task_steps (
    id TEXT NOT NULL PRIMARY KEY,
    plan_id TEXT NOT NULL REFERENCES task_plans (id),
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    operation TEXT NOT NULL,
    risk TEXT NOT NULL,
    depends_on TEXT NOT NULL,
    input TEXT NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    turn_id TEXT,
    proposal_id TEXT,
    run_id TEXT,
    summary TEXT NOT NULL,
    answer TEXT NOT NULL,
    reason TEXT,
    explanation TEXT,
    carried_from TEXT,
    settled_at INTEGER,
    UNIQUE (plan_id, key)
) STRICT;
CREATE INDEX task_steps_by_proposal ON task_steps (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE INDEX task_steps_unsettled ON task_steps (plan_id) WHERE settled_at IS NULL;

-- The last report of each connector about the runtime of an agent on a site.
CREATE TABLE runtime_reports (
    agent_id TEXT NOT NULL REFERENCES agents (id),
    site_id TEXT NOT NULL REFERENCES sites (id),
    connector TEXT NOT NULL CHECK (length(connector) > 0),
    connection_id TEXT NOT NULL REFERENCES connections (id),
    host TEXT NOT NULL,
    profiles TEXT NOT NULL,
    reported_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, site_id, connector)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER conversation_sessions_no_update BEFORE UPDATE ON conversation_sessions BEGIN SELECT RAISE(ABORT, 'conversation_sessions is append-only'); END;
CREATE TRIGGER conversation_sessions_no_delete BEFORE DELETE ON conversation_sessions BEGIN SELECT RAISE(ABORT, 'conversation_sessions is append-only'); END;
CREATE TRIGGER turn_runs_no_update BEFORE UPDATE ON turn_runs BEGIN SELECT RAISE(ABORT, 'turn_runs is append-only'); END;
CREATE TRIGGER turn_runs_no_delete BEFORE DELETE ON turn_runs BEGIN SELECT RAISE(ABORT, 'turn_runs is append-only'); END;
