-- What agents bring to write from: packages of checked records, what members decide about them, and
-- which revisions were written from which records.

CREATE TABLE source_packages (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    name TEXT COLLATE "C" NOT NULL CHECK (length(name) > 0),
    origin TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    valid BIGINT NOT NULL,
    warning BIGINT NOT NULL,
    invalid BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX source_packages_by_site ON source_packages (site_id, id);

CREATE TABLE source_records (
    package_id TEXT COLLATE "C" NOT NULL REFERENCES source_packages (id),
    position BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    media_type TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    declared_sha256 BYTEA,
    sha256 BYTEA NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    findings TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (package_id, position)
);
CREATE INDEX source_records_by_key ON source_records (package_id, key, position);

-- The newest one that names a record, or its whole package by a position of NULL, is what holds.
CREATE TABLE source_dispositions (
    package_id TEXT COLLATE "C" NOT NULL REFERENCES source_packages (id),
    seq BIGINT NOT NULL,
    position BIGINT,
    disposition TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    at BIGINT NOT NULL,
    PRIMARY KEY (package_id, seq)
);

CREATE TABLE revision_sources (
    revision_id TEXT COLLATE "C" NOT NULL REFERENCES content_revisions (id),
    package_id TEXT COLLATE "C" NOT NULL REFERENCES source_packages (id),
    position BIGINT NOT NULL,
    sha256 BYTEA NOT NULL,
    PRIMARY KEY (revision_id, package_id, position)
);

CREATE TRIGGER source_packages_no_change BEFORE UPDATE OR DELETE ON source_packages FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER source_packages_no_truncate BEFORE TRUNCATE ON source_packages FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER source_records_no_change BEFORE UPDATE OR DELETE ON source_records FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER source_records_no_truncate BEFORE TRUNCATE ON source_records FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER source_dispositions_no_change BEFORE UPDATE OR DELETE ON source_dispositions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER source_dispositions_no_truncate BEFORE TRUNCATE ON source_dispositions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER revision_sources_no_change BEFORE UPDATE OR DELETE ON revision_sources FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER revision_sources_no_truncate BEFORE TRUNCATE ON revision_sources FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
