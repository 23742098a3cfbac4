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
