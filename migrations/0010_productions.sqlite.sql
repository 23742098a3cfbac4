-- Productions: works that go through the stages of a policy pack.

CREATE TABLE productions (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    title TEXT NOT NULL,
    objective TEXT NOT NULL,
    audience TEXT NOT NULL,
    medium TEXT NOT NULL,
    template TEXT NOT NULL,
    fields TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    constitution_sha256 BLOB NOT NULL CHECK (length(constitution_sha256) = 32),
    policy_sha256 BLOB NOT NULL CHECK (length(policy_sha256) = 32),
    task_budget INTEGER NOT NULL,
    started_by TEXT NOT NULL,
    started_at INTEGER NOT NULL
) STRICT;
CREATE INDEX productions_by_site ON productions (site_id, id);

-- Which connection works as which role of a site's productions.
CREATE TABLE production_roles (
    site_id TEXT NOT NULL REFERENCES sites (id),
    role TEXT NOT NULL,
    connection_id TEXT NOT NULL REFERENCES connections (id),
    cast_by TEXT NOT NULL,
    cast_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, role)
) STRICT, WITHOUT ROWID;

CREATE TABLE production_stages (
    production_id TEXT NOT NULL REFERENCES productions (id),
    stage TEXT NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL,
    task_id TEXT,
    verdict TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (production_id, stage)
) STRICT, WITHOUT ROWID;

-- The idempotency key of a task is its production, stage and attempt; it is bound to the body.
CREATE TABLE stage_tasks (
    id TEXT NOT NULL PRIMARY KEY,
    production_id TEXT NOT NULL REFERENCES productions (id),
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    body_sha256 BLOB NOT NULL CHECK (length(body_sha256) = 32),
    run_id TEXT NOT NULL REFERENCES runs (id),
    envelope TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    UNIQUE (production_id, stage, attempt)
) STRICT;

-- What a provider answered, kept before it is read.
CREATE TABLE provider_calls (
    task_id TEXT NOT NULL REFERENCES stage_tasks (id),
    number INTEGER NOT NULL,
    is_repair INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    raw TEXT NOT NULL,
    cost INTEGER,
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE stage_answers (
    task_id TEXT NOT NULL PRIMARY KEY REFERENCES stage_tasks (id),
    result TEXT NOT NULL,
    output_sha256 BLOB NOT NULL CHECK (length(output_sha256) = 32),
    answered_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the engine made of an answer: for the stage that made it, and for each gate after it.
CREATE TABLE audits (
    task_id TEXT NOT NULL REFERENCES stage_tasks (id),
    stage TEXT NOT NULL,
    number INTEGER NOT NULL,
    engine TEXT NOT NULL,
    verdict TEXT NOT NULL,
    findings TEXT NOT NULL,
    audited_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, stage, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE production_attestations (
    task_id TEXT NOT NULL REFERENCES stage_tasks (id),
    number INTEGER NOT NULL,
    role TEXT NOT NULL,
    about TEXT,
    attestation TEXT NOT NULL,
    PRIMARY KEY (task_id, number)
) STRICT, WITHOUT ROWID;

-- Material from outside. What is excluded isn't given to anybody any more.
CREATE TABLE production_sources (
    production_id TEXT NOT NULL REFERENCES productions (id),
    origin TEXT NOT NULL,
    media_type TEXT NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
    body BLOB NOT NULL,
    findings TEXT NOT NULL,
    retrieved_at INTEGER NOT NULL,
    excluded_by TEXT,
    PRIMARY KEY (production_id, origin)
) STRICT, WITHOUT ROWID;

CREATE TABLE waivers (
    production_id TEXT NOT NULL REFERENCES productions (id),
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    waived_by TEXT NOT NULL,
    waived_at INTEGER NOT NULL,
    PRIMARY KEY (production_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- What the gate sealed. The newest one counts.
CREATE TABLE releases (
    production_id TEXT NOT NULL REFERENCES productions (id),
    number INTEGER NOT NULL,
    stage TEXT NOT NULL,
    content_id TEXT NOT NULL REFERENCES content_items (id),
    revision_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    manifest TEXT NOT NULL,
    manifest_sha256 BLOB NOT NULL CHECK (length(manifest_sha256) = 32),
    sealed_at INTEGER NOT NULL,
    PRIMARY KEY (production_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX releases_by_content ON releases (content_id);

CREATE TRIGGER productions_no_update BEFORE UPDATE ON productions BEGIN SELECT RAISE(ABORT, 'productions is append-only'); END;
CREATE TRIGGER productions_no_delete BEFORE DELETE ON productions BEGIN SELECT RAISE(ABORT, 'productions is append-only'); END;
CREATE TRIGGER stage_tasks_no_update BEFORE UPDATE ON stage_tasks BEGIN SELECT RAISE(ABORT, 'stage_tasks is append-only'); END;
CREATE TRIGGER stage_tasks_no_delete BEFORE DELETE ON stage_tasks BEGIN SELECT RAISE(ABORT, 'stage_tasks is append-only'); END;
CREATE TRIGGER provider_calls_no_update BEFORE UPDATE ON provider_calls BEGIN SELECT RAISE(ABORT, 'provider_calls is append-only'); END;
CREATE TRIGGER provider_calls_no_delete BEFORE DELETE ON provider_calls BEGIN SELECT RAISE(ABORT, 'provider_calls is append-only'); END;
CREATE TRIGGER stage_answers_no_update BEFORE UPDATE ON stage_answers BEGIN SELECT RAISE(ABORT, 'stage_answers is append-only'); END;
CREATE TRIGGER stage_answers_no_delete BEFORE DELETE ON stage_answers BEGIN SELECT RAISE(ABORT, 'stage_answers is append-only'); END;
CREATE TRIGGER audits_no_update BEFORE UPDATE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;
CREATE TRIGGER audits_no_delete BEFORE DELETE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;
CREATE TRIGGER production_attestations_no_update BEFORE UPDATE ON production_attestations BEGIN SELECT RAISE(ABORT, 'production_attestations is append-only'); END;
CREATE TRIGGER production_attestations_no_delete BEFORE DELETE ON production_attestations BEGIN SELECT RAISE(ABORT, 'production_attestations is append-only'); END;
CREATE TRIGGER waivers_no_update BEFORE UPDATE ON waivers BEGIN SELECT RAISE(ABORT, 'waivers is append-only'); END;
CREATE TRIGGER waivers_no_delete BEFORE DELETE ON waivers BEGIN SELECT RAISE(ABORT, 'waivers is append-only'); END;
CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases BEGIN SELECT RAISE(ABORT, 'releases is append-only'); END;
CREATE TRIGGER releases_no_delete BEFORE DELETE ON releases BEGIN SELECT RAISE(ABORT, 'releases is append-only'); END;
