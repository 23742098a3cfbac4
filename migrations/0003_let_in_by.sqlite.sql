-- Who made the sign-in link that opened a session, and what was decided in it: whoever makes a link
-- could open it. NULL is a password, or unknown where an older version wrote the row.

ALTER TABLE sign_in_links ADD COLUMN made_by TEXT;
ALTER TABLE member_sessions ADD COLUMN let_in_by TEXT;
ALTER TABLE decisions ADD COLUMN let_in_by TEXT;
