-- Looking again at what claims rest on: which evidence how often, what was seen each time, and what a
-- person made of whatever wasn't as it had been.

CREATE TABLE reverification_targets (
    evidence_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES evidence (id),
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    cadence_days BIGINT NOT NULL CHECK (cadence_days > 0),
    active BIGINT NOT NULL,
    job_id TEXT COLLATE "C" REFERENCES jobs (id),
    failures BIGINT NOT NULL,
    attempt_id TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX reverification_targets_by_site ON reverification_targets (site_id, evidence_id);

CREATE TABLE reverification_attempts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL,
    evidence_id TEXT COLLATE "C" NOT NULL REFERENCES evidence (id),
    job_id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    observation TEXT COLLATE "C" NOT NULL
);
CREATE INDEX reverification_attempts_by_evidence ON reverification_attempts (evidence_id, id);

CREATE TABLE reverification_reviews (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL,
    evidence_id TEXT COLLATE "C" NOT NULL REFERENCES evidence (id),
    attempt_id TEXT COLLATE "C" NOT NULL REFERENCES reverification_attempts (id),
    outcome TEXT COLLATE "C" NOT NULL,
    opened_at BIGINT NOT NULL,
    resolution TEXT COLLATE "C",
    note TEXT COLLATE "C",
    member_id TEXT COLLATE "C" REFERENCES members (id),
    resolved_at BIGINT
);
CREATE INDEX reverification_reviews_by_site ON reverification_reviews (site_id, id);
CREATE UNIQUE INDEX reverification_reviews_open ON reverification_reviews (evidence_id) WHERE resolved_at IS NULL;

CREATE TRIGGER reverification_attempts_no_change BEFORE UPDATE OR DELETE ON reverification_attempts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reverification_attempts_no_truncate BEFORE TRUNCATE ON reverification_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
