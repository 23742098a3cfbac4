-- The ledger's tree: every entry of every chain in one order, and what was signed of it.

-- Entries that have no place in the tree yet, written in the transaction of the entry.
CREATE TABLE ledger_pending (
    subject TEXT NOT NULL,
    seq INTEGER NOT NULL,
    leaf BLOB NOT NULL,
    PRIMARY KEY (subject, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_pending (subject, seq, leaf) SELECT subject, seq, leaf FROM ledger_entries;

-- The leaves, without a gap from 0.
CREATE TABLE ledger_leaves (
    leaf_index INTEGER NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL,
    seq INTEGER NOT NULL,
    leaf BLOB NOT NULL,
    UNIQUE (subject, seq)
) STRICT;

-- Hashes of complete subtrees: one for every sixteen of the level below.
CREATE TABLE ledger_nodes (
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_checkpoints (
    size INTEGER NOT NULL PRIMARY KEY,
    root BLOB NOT NULL,
    note TEXT NOT NULL,
    signed_at INTEGER NOT NULL
) STRICT;

-- The keys that sign, from 1; `note` is the word of the key before.
CREATE TABLE ledger_keys (
    number INTEGER NOT NULL PRIMARY KEY,
    public_key BLOB NOT NULL UNIQUE,
    note TEXT,
    registered_at INTEGER NOT NULL
) STRICT;

-- Work that one server at a time does for all.
CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    fence INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;
INSERT INTO leases (name, holder, fence, lease_until) VALUES ('sequencer', '', 0, 0);

CREATE TRIGGER ledger_leaves_no_update BEFORE UPDATE ON ledger_leaves BEGIN SELECT RAISE(ABORT, 'ledger_leaves is append-only'); END;
CREATE TRIGGER ledger_leaves_no_delete BEFORE DELETE ON ledger_leaves BEGIN SELECT RAISE(ABORT, 'ledger_leaves is append-only'); END;
CREATE TRIGGER ledger_nodes_no_update BEFORE UPDATE ON ledger_nodes BEGIN SELECT RAISE(ABORT, 'ledger_nodes is append-only'); END;
CREATE TRIGGER ledger_nodes_no_delete BEFORE DELETE ON ledger_nodes BEGIN SELECT RAISE(ABORT, 'ledger_nodes is append-only'); END;
CREATE TRIGGER ledger_checkpoints_no_update BEFORE UPDATE ON ledger_checkpoints BEGIN SELECT RAISE(ABORT, 'ledger_checkpoints is append-only'); END;
CREATE TRIGGER ledger_checkpoints_no_delete BEFORE DELETE ON ledger_checkpoints BEGIN SELECT RAISE(ABORT, 'ledger_checkpoints is append-only'); END;
CREATE TRIGGER ledger_keys_no_update BEFORE UPDATE ON ledger_keys BEGIN SELECT RAISE(ABORT, 'ledger_keys is append-only'); END;
CREATE TRIGGER ledger_keys_no_delete BEFORE DELETE ON ledger_keys BEGIN SELECT RAISE(ABORT, 'ledger_keys is append-only'); END;
