-- The ledger's tree: every entry of every chain in one order, and what was signed of it.

-- Entries that have no place in the tree yet, written in the transaction of the entry.
CREATE TABLE ledger_pending (
    subject TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    leaf BYTEA NOT NULL,
    PRIMARY KEY (subject, seq)
);
INSERT INTO ledger_pending (subject, seq, leaf) SELECT subject, seq, leaf FROM ledger_entries;

-- The leaves, without a gap from 0.
CREATE TABLE ledger_leaves (
    leaf_index BIGINT NOT NULL PRIMARY KEY,
    subject TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    leaf BYTEA NOT NULL,
    UNIQUE (subject, seq)
);

-- Hashes of complete subtrees: one for every sixteen of the level below.
CREATE TABLE ledger_nodes (
    level BIGINT NOT NULL,
    position BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (level, position)
);

CREATE TABLE ledger_checkpoints (
    size BIGINT NOT NULL PRIMARY KEY,
    root BYTEA NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    signed_at BIGINT NOT NULL
);

-- The keys that sign, from 1; `note` is the word of the key before.
CREATE TABLE ledger_keys (
    number BIGINT NOT NULL PRIMARY KEY,
    public_key BYTEA NOT NULL UNIQUE,
    note TEXT COLLATE "C",
    registered_at BIGINT NOT NULL
);

-- Work that one server at a time does for all.
CREATE TABLE leases (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    fence BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);
INSERT INTO leases (name, holder, fence, lease_until) VALUES ('sequencer', '', 0, 0);

CREATE TRIGGER ledger_leaves_no_change BEFORE UPDATE OR DELETE ON ledger_leaves FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_leaves_no_truncate BEFORE TRUNCATE ON ledger_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_nodes_no_change BEFORE UPDATE OR DELETE ON ledger_nodes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_nodes_no_truncate BEFORE TRUNCATE ON ledger_nodes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_checkpoints_no_change BEFORE UPDATE OR DELETE ON ledger_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_checkpoints_no_truncate BEFORE TRUNCATE ON ledger_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_keys_no_change BEFORE UPDATE OR DELETE ON ledger_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_keys_no_truncate BEFORE TRUNCATE ON ledger_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
