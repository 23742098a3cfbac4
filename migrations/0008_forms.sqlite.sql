-- Public forms, what visitors sent, and the day's keys that hide where it came from.

CREATE TABLE forms (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    key TEXT NOT NULL,
    latest_version INTEGER NOT NULL,
    UNIQUE (site_id, key)
) STRICT;

CREATE TABLE form_versions (
    form_id TEXT NOT NULL REFERENCES forms (id),
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    fields TEXT NOT NULL,
    rules TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (form_id, version)
) STRICT;
CREATE TRIGGER form_versions_no_update BEFORE UPDATE ON form_versions BEGIN SELECT RAISE(ABORT, 'form_versions is append-only'); END;
CREATE TRIGGER form_versions_no_delete BEFORE DELETE ON form_versions BEGIN SELECT RAISE(ABORT, 'form_versions is append-only'); END;

-- `standing` is the decision, or the mark that a member set later.
CREATE TABLE form_submissions (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    form_id TEXT NOT NULL REFERENCES forms (id),
    version INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    decision TEXT NOT NULL,
    reasons TEXT NOT NULL,
    standing TEXT NOT NULL,
    marked_by TEXT,
    marked_at INTEGER,
    answers TEXT,
    body_sha256 BLOB NOT NULL CHECK (length(body_sha256) = 32),
    network BLOB NOT NULL CHECK (length(network) = 32),
    fill BLOB CHECK (length(fill) = 32)
) STRICT;
CREATE INDEX form_submissions_by_standing ON form_submissions (form_id, standing, received_at, reasons);
CREATE INDEX form_submissions_by_body ON form_submissions (form_id, body_sha256, received_at);
CREATE INDEX form_submissions_by_network ON form_submissions (form_id, network, received_at);
CREATE UNIQUE INDEX form_submissions_by_fill ON form_submissions (fill) WHERE fill IS NOT NULL;

CREATE TABLE form_day_keys (
    day INTEGER NOT NULL PRIMARY KEY,
    secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;
