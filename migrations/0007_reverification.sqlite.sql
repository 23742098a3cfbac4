-- Looking again at what claims rest on: which evidence how often, what was seen each time, and what a
-- person made of whatever wasn't as it had been.

CREATE TABLE reverification_targets (
    evidence_id TEXT NOT NULL PRIMARY KEY REFERENCES evidence (id),
    site_id TEXT NOT NULL REFERENCES sites (id),
    cadence_days INTEGER NOT NULL CHECK (cadence_days > 0),
    active INTEGER NOT NULL,
    job_id TEXT REFERENCES jobs (id),
    failures INTEGER NOT NULL,
    attempt_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX reverification_targets_by_site ON reverification_targets (site_id, evidence_id);

CREATE TABLE reverification_attempts (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL,
    evidence_id TEXT NOT NULL REFERENCES evidence (id),
    job_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    observation TEXT NOT NULL
) STRICT;
CREATE INDEX reverification_attempts_by_evidence ON reverification_attempts (evidence_id, id);

CREATE TABLE reverification_reviews (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL,
    evidence_id TEXT NOT NULL REFERENCES evidence (id),
    attempt_id TEXT NOT NULL REFERENCES reverification_attempts (id),
    outcome TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    resolution TEXT,
    note TEXT,
    member_id TEXT REFERENCES members (id),
    resolved_at INTEGER
) STRICT;
CREATE INDEX reverification_reviews_by_site ON reverification_reviews (site_id, id);
CREATE UNIQUE INDEX reverification_reviews_open ON reverification_reviews (evidence_id) WHERE resolved_at IS NULL;

CREATE TRIGGER reverification_attempts_no_update BEFORE UPDATE ON reverification_attempts BEGIN SELECT RAISE(ABORT, 'reverification_attempts is append-only'); END;
CREATE TRIGGER reverification_attempts_no_delete BEFORE DELETE ON reverification_attempts BEGIN SELECT RAISE(ABORT, 'reverification_attempts is append-only'); END;
