-- The agent console: conversations of people with agents, their turns and leases, task plans with
-- their steps, and what connectors report about the runtimes that sessions live in.

-- `next_turn` is the first turn that isn't over; from `claimable_at` on it can be claimed, which is
-- in the future while somebody holds its lease.
CREATE TABLE conversations (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    started_by TEXT COLLATE "C" NOT NULL,
    session_root TEXT COLLATE "C",
    session_tip TEXT COLLATE "C",
    next_turn TEXT COLLATE "C",
    claimable_at BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX conversations_by_site ON conversations (site_id, id);
CREATE INDEX conversations_unbound ON conversations (site_id, agent_id, next_turn) WHERE session_tip IS NULL AND next_turn IS NOT NULL;
CREATE INDEX conversations_open ON conversations (site_id, agent_id, claimable_at) WHERE next_turn IS NOT NULL;
CREATE INDEX conversations_claimable ON conversations (claimable_at) WHERE next_turn IS NOT NULL;

-- Every session that a conversation was ever bound to, from its root on. A session belongs to one
-- conversation of its agent, for ever.
CREATE TABLE conversation_sessions (
    agent_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL CHECK (length(session_id) > 0),
    conversation_id TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    seq BIGINT NOT NULL,
    bound_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, session_id),
    UNIQUE (conversation_id, seq)
);

CREATE TABLE turns (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    number BIGINT NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    step_id TEXT COLLATE "C",
    message TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    lease_token TEXT COLLATE "C",
    lease_connection TEXT COLLATE "C",
    lease_until BIGINT,
    ended_lease TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    reply TEXT COLLATE "C",
    run_id TEXT COLLATE "C",
    proposal_id TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    UNIQUE (conversation_id, number)
);
CREATE INDEX turns_open ON turns (conversation_id, number) WHERE ended_at IS NULL;
CREATE INDEX turns_held ON turns (lease_connection) WHERE lease_connection IS NOT NULL;
CREATE UNIQUE INDEX turns_by_lease ON turns (lease_token) WHERE lease_token IS NOT NULL;
CREATE INDEX turns_leased ON turns (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX turns_by_step ON turns (step_id) WHERE step_id IS NOT NULL;

-- The runs that were begun under a lease.
CREATE TABLE turn_runs (
    run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES runs (id),
    turn_id TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
    lease_token TEXT COLLATE "C" NOT NULL
);

CREATE TABLE task_plans (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    conversation_id TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    site_id TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    turn_id TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
    profile_id TEXT COLLATE "C",
    session_root TEXT COLLATE "C" NOT NULL,
    goal TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    previous_id TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    settled_at BIGINT,
    superseded_by TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX task_plans_active ON task_plans (conversation_id) WHERE state = 'active';
CREATE INDEX task_plans_by_conversation ON task_plans (conversation_id, id);
CREATE INDEX task_plans_by_site ON task_plans (site_id, id);

CREATE TABLE task_steps (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    plan_id TEXT COLLATE "C" NOT NULL REFERENCES task_plans (id),
    key TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    risk TEXT COLLATE "C" NOT NULL,
    depends_on TEXT COLLATE "C" NOT NULL,
    input TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    turn_id TEXT COLLATE "C",
    proposal_id TEXT COLLATE "C",
    run_id TEXT COLLATE "C",
    summary TEXT COLLATE "C" NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    explanation TEXT COLLATE "C",
    carried_from TEXT COLLATE "C",
    settled_at BIGINT,
    UNIQUE (plan_id, key)
);
CREATE INDEX task_steps_by_proposal ON task_steps (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE INDEX task_steps_unsettled ON task_steps (plan_id) WHERE settled_at IS NULL;

-- The last report of each connector about the runtime of an agent on a site.
CREATE TABLE runtime_reports (
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    connector TEXT COLLATE "C" NOT NULL CHECK (length(connector) > 0),
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES connections (id),
    host TEXT COLLATE "C" NOT NULL,
    profiles TEXT COLLATE "C" NOT NULL,
    reported_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, site_id, connector)
);

CREATE TRIGGER conversation_sessions_no_change BEFORE UPDATE OR DELETE ON conversation_sessions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER conversation_sessions_no_truncate BEFORE TRUNCATE ON conversation_sessions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER turn_runs_no_change BEFORE UPDATE OR DELETE ON turn_runs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER turn_runs_no_truncate BEFORE TRUNCATE ON turn_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
