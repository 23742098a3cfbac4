-- What productions may cost, what is set aside for calls of providers, and who answers a task.

-- `committed` is what was paid, what may have been, and what is set aside right now.
CREATE TABLE production_budgets (
    production_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES productions (id),
    budget BIGINT NOT NULL CHECK (budget >= 0),
    task_budget BIGINT NOT NULL CHECK (task_budget >= 0),
    committed BIGINT NOT NULL CHECK (committed >= 0)
);
INSERT INTO production_budgets (production_id, budget, task_budget, committed)
    SELECT p.id, p.task_budget * (SELECT COUNT(*) FROM production_stages s WHERE s.production_id = p.id), p.task_budget,
        (SELECT CAST(COALESCE(SUM(c.cost), 0) AS BIGINT) FROM provider_calls c JOIN stage_tasks t ON t.id = c.task_id
            WHERE t.production_id = p.id)
    FROM productions p;

-- One for each call, made before anything is sent.
CREATE TABLE reservations (
    task_id TEXT COLLATE "C" NOT NULL REFERENCES stage_tasks (id),
    number BIGINT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount >= 0),
    state TEXT COLLATE "C" NOT NULL,
    charged BIGINT,
    reserved_at BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (task_id, number)
);

ALTER TABLE provider_calls ADD COLUMN answered_by TEXT COLLATE "C" NOT NULL DEFAULT 'provider';
ALTER TABLE provider_calls ADD COLUMN model TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE provider_calls ADD COLUMN usage TEXT COLLATE "C";
ALTER TABLE production_roles ADD COLUMN played_by TEXT COLLATE "C" NOT NULL DEFAULT 'provider';
CREATE INDEX production_roles_by_connection ON production_roles (connection_id);
-- The connection that holds a job, where an agent does; workers of the server have no name.
ALTER TABLE jobs ADD COLUMN holder TEXT COLLATE "C";

-- Ways out that people took: a correction has a stage done again, a withdrawal ends the production.
CREATE TABLE production_exits (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    number BIGINT NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    reopened TEXT COLLATE "C",
    proposal_id TEXT COLLATE "C",
    taken_by TEXT COLLATE "C" NOT NULL,
    taken_at BIGINT NOT NULL,
    PRIMARY KEY (production_id, number)
);
CREATE TRIGGER production_exits_no_change BEFORE UPDATE OR DELETE ON production_exits FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER production_exits_no_truncate BEFORE TRUNCATE ON production_exits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What goes out beside the site, written down before the first byte.
CREATE TABLE parcels (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    release BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    outlet TEXT COLLATE "C" NOT NULL,
    sha256 BYTEA NOT NULL CHECK (length(sha256) = 32),
    planned_at BIGINT NOT NULL,
    sent_at BIGINT,
    PRIMARY KEY (production_id, release, kind, outlet)
);
CREATE INDEX releases_by_proposal ON releases (proposal_id);
