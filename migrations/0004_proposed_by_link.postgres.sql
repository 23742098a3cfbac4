-- Who made the sign-in link that a proposing member's session was opened by.

ALTER TABLE proposals ADD COLUMN let_in_by TEXT COLLATE "C";
