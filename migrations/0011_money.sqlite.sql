-- What productions may cost, what is set aside for calls of providers, and who answers a task.

-- `committed` is what was paid, what may have been, and what is set aside right now.
CREATE TABLE production_budgets (
    production_id TEXT NOT NULL PRIMARY KEY REFERENCES productions (id),
    budget INTEGER NOT NULL CHECK (budget >= 0),
    task_budget INTEGER NOT NULL CHECK (task_budget >= 0),
    committed INTEGER NOT NULL CHECK (committed >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO production_budgets (production_id, budget, task_budget, committed)
    SELECT p.id, p.task_budget * (SELECT COUNT(*) FROM production_stages s WHERE s.production_id = p.id), p.task_budget,
        (SELECT COALESCE(SUM(c.cost), 0) FROM provider_calls c JOIN stage_tasks t ON t.id = c.task_id
            WHERE t.production_id = p.id)
    FROM productions p;

-- One for each call, made before anything is sent.
CREATE TABLE reservations (
    task_id TEXT NOT NULL REFERENCES stage_tasks (id),
    number INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    state TEXT NOT NULL,
    charged INTEGER,
    reserved_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (task_id, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE provider_calls ADD COLUMN answered_by TEXT NOT NULL DEFAULT 'provider';
ALTER TABLE provider_calls ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE provider_calls ADD COLUMN usage TEXT;
ALTER TABLE production_roles ADD COLUMN played_by TEXT NOT NULL DEFAULT 'provider';
CREATE INDEX production_roles_by_connection ON production_roles (connection_id);
-- The connection that holds a job, where an agent does; workers of the server have no name.
ALTER TABLE jobs ADD COLUMN holder TEXT;

-- Ways out that people took: a correction has a stage done again, a withdrawal ends the production.
CREATE TABLE production_exits (
    production_id TEXT NOT NULL REFERENCES productions (id),
    number INTEGER NOT NULL,
    stage TEXT NOT NULL,
    reason TEXT NOT NULL,
    reopened TEXT,
    proposal_id TEXT,
    taken_by TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    PRIMARY KEY (production_id, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER production_exits_no_update BEFORE UPDATE ON production_exits BEGIN SELECT RAISE(ABORT, 'production_exits is append-only'); END;
CREATE TRIGGER production_exits_no_delete BEFORE DELETE ON production_exits BEGIN SELECT RAISE(ABORT, 'production_exits is append-only'); END;

-- What goes out beside the site, written down before the first byte.
CREATE TABLE parcels (
    production_id TEXT NOT NULL REFERENCES productions (id),
    release INTEGER NOT NULL,
    kind TEXT NOT NULL,
    outlet TEXT NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
    planned_at INTEGER NOT NULL,
    sent_at INTEGER,
    PRIMARY KEY (production_id, release, kind, outlet)
) STRICT, WITHOUT ROWID;
CREATE INDEX releases_by_proposal ON releases (proposal_id);
