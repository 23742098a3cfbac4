-- Public forms, what visitors sent, and the day's keys that hide where it came from.

CREATE TABLE forms (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    key TEXT COLLATE "C" NOT NULL,
    latest_version BIGINT NOT NULL,
    UNIQUE (site_id, key)
);

CREATE TABLE form_versions (
    form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (id),
    version BIGINT NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    fields TEXT COLLATE "C" NOT NULL,
    rules TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (form_id, version)
);
CREATE TRIGGER form_versions_no_change BEFORE UPDATE OR DELETE ON form_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER form_versions_no_truncate BEFORE TRUNCATE ON form_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- `standing` is the decision, or the mark that a member set later.
CREATE TABLE form_submissions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (id),
    version BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    decision TEXT COLLATE "C" NOT NULL,
    reasons TEXT COLLATE "C" NOT NULL,
    standing TEXT COLLATE "C" NOT NULL,
    marked_by TEXT COLLATE "C",
    marked_at BIGINT,
    answers TEXT COLLATE "C",
    body_sha256 BYTEA NOT NULL CHECK (length(body_sha256) = 32),
    network BYTEA NOT NULL CHECK (length(network) = 32),
    fill BYTEA CHECK (length(fill) = 32)
);
CREATE INDEX form_submissions_by_standing ON form_submissions (form_id, standing, received_at, reasons);
CREATE INDEX form_submissions_by_body ON form_submissions (form_id, body_sha256, received_at);
CREATE INDEX form_submissions_by_network ON form_submissions (form_id, network, received_at);
CREATE UNIQUE INDEX form_submissions_by_fill ON form_submissions (fill) WHERE fill IS NOT NULL;

CREATE TABLE form_day_keys (
    day BIGINT NOT NULL PRIMARY KEY,
    secret BYTEA NOT NULL CHECK (length(secret) = 32)
);
