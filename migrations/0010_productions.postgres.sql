-- Productions: works that go through the stages of a policy pack.

CREATE TABLE productions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    title TEXT COLLATE "C" NOT NULL,
    objective TEXT COLLATE "C" NOT NULL,
    audience TEXT COLLATE "C" NOT NULL,
    medium TEXT COLLATE "C" NOT NULL,
    template TEXT COLLATE "C" NOT NULL,
    fields TEXT COLLATE "C" NOT NULL,
    policy_version TEXT COLLATE "C" NOT NULL,
    constitution_sha256 BYTEA NOT NULL CHECK (length(constitution_sha256) = 32),
    policy_sha256 BYTEA NOT NULL CHECK (length(policy_sha256) = 32),
    task_budget BIGINT NOT NULL,
    started_by TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL
);
CREATE INDEX productions_by_site ON productions (site_id, id);

-- Which connection works as which role of a site's productions.
CREATE TABLE production_roles (
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    role TEXT COLLATE "C" NOT NULL,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES connections (id),
    cast_by TEXT COLLATE "C" NOT NULL,
    cast_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, role)
);

CREATE TABLE production_stages (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    stage TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    attempts BIGINT NOT NULL,
    task_id TEXT COLLATE "C",
    verdict TEXT COLLATE "C",
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (production_id, stage)
);

-- The idempotency key of a task is its production, stage and attempt; it is bound to the body.
CREATE TABLE stage_tasks (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    stage TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    body_sha256 BYTEA NOT NULL CHECK (length(body_sha256) = 32),
    run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    envelope TEXT COLLATE "C" NOT NULL,
    asked_at BIGINT NOT NULL,
    UNIQUE (production_id, stage, attempt)
);

-- What a provider answered, kept before it is read.
CREATE TABLE provider_calls (
    task_id TEXT COLLATE "C" NOT NULL REFERENCES stage_tasks (id),
    number BIGINT NOT NULL,
    is_repair BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    raw TEXT COLLATE "C" NOT NULL,
    cost BIGINT,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (task_id, number)
);

CREATE TABLE stage_answers (
    task_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES stage_tasks (id),
    result TEXT COLLATE "C" NOT NULL,
    output_sha256 BYTEA NOT NULL CHECK (length(output_sha256) = 32),
    answered_at BIGINT NOT NULL
);

-- What the engine made of an answer: for the stage that made it, and for each gate after it.
CREATE TABLE audits (
    task_id TEXT COLLATE "C" NOT NULL REFERENCES stage_tasks (id),
    stage TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    engine TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    findings TEXT COLLATE "C" NOT NULL,
    audited_at BIGINT NOT NULL,
    PRIMARY KEY (task_id, stage, number)
);

CREATE TABLE production_attestations (
    task_id TEXT COLLATE "C" NOT NULL REFERENCES stage_tasks (id),
    number BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C",
    attestation TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (task_id, number)
);

-- Material from outside. What is excluded isn't given to anybody any more.
CREATE TABLE production_sources (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    origin TEXT COLLATE "C" NOT NULL,
    media_type TEXT COLLATE "C" NOT NULL,
    sha256 BYTEA NOT NULL CHECK (length(sha256) = 32),
    body BYTEA NOT NULL,
    findings TEXT COLLATE "C" NOT NULL,
    retrieved_at BIGINT NOT NULL,
    excluded_by TEXT COLLATE "C",
    PRIMARY KEY (production_id, origin)
);

CREATE TABLE waivers (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
    code TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    waived_by TEXT COLLATE "C" NOT NULL,
    waived_at BIGINT NOT NULL,
    PRIMARY KEY (production_id, fingerprint)
);

-- What the gate sealed. The newest one counts.
CREATE TABLE releases (
    production_id TEXT COLLATE "C" NOT NULL REFERENCES productions (id),
    number BIGINT NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    revision_id TEXT COLLATE "C" NOT NULL,
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    manifest TEXT COLLATE "C" NOT NULL,
    manifest_sha256 BYTEA NOT NULL CHECK (length(manifest_sha256) = 32),
    sealed_at BIGINT NOT NULL,
    PRIMARY KEY (production_id, number)
);
CREATE INDEX releases_by_content ON releases (content_id);

CREATE TRIGGER productions_no_change BEFORE UPDATE OR DELETE ON productions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER productions_no_truncate BEFORE TRUNCATE ON productions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stage_tasks_no_change BEFORE UPDATE OR DELETE ON stage_tasks FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stage_tasks_no_truncate BEFORE TRUNCATE ON stage_tasks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER provider_calls_no_change BEFORE UPDATE OR DELETE ON provider_calls FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER provider_calls_no_truncate BEFORE TRUNCATE ON provider_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stage_answers_no_change BEFORE UPDATE OR DELETE ON stage_answers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stage_answers_no_truncate BEFORE TRUNCATE ON stage_answers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audits_no_change BEFORE UPDATE OR DELETE ON audits FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audits_no_truncate BEFORE TRUNCATE ON audits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER production_attestations_no_change BEFORE UPDATE OR DELETE ON production_attestations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER production_attestations_no_truncate BEFORE TRUNCATE ON production_attestations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER waivers_no_change BEFORE UPDATE OR DELETE ON waivers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER waivers_no_truncate BEFORE TRUNCATE ON waivers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER releases_no_change BEFORE UPDATE OR DELETE ON releases FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER releases_no_truncate BEFORE TRUNCATE ON releases FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
