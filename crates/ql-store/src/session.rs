//! How members come in: one-time sign-in links, browser sessions and personal tokens.

use ql_core::access::{Authorized, ManageMembers};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{MemberId, MemberTokenId, SessionId};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT_LINK = "INSERT INTO sign_in_links (fingerprint, member_id, created_at, expires_at, used_at, made_by) \
        VALUES ($1, $2, $3, $4, NULL, $5)";
    USE_LINK = "UPDATE sign_in_links SET used_at = $2 \
        WHERE fingerprint = $1 AND used_at IS NULL AND expires_at > $2 RETURNING member_id, made_by";
    INSERT = "INSERT INTO member_sessions (id, fingerprint, member_id, csrf, created_at, reauthenticated_at, \
        expires_at, ended_at, let_in_by) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8)";
    FIND = "SELECT id, fingerprint, member_id, csrf, created_at, reauthenticated_at, expires_at, let_in_by \
        FROM member_sessions WHERE fingerprint = $1 AND ended_at IS NULL AND expires_at > $2";
    REAUTHENTICATE = "UPDATE member_sessions SET reauthenticated_at = $2 WHERE id = $1 AND ended_at IS NULL";
    END = "UPDATE member_sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";
    END_ALL = "UPDATE member_sessions SET ended_at = $2 WHERE member_id = $1 AND ended_at IS NULL";
    END_OTHERS = "UPDATE member_sessions SET ended_at = $3 WHERE member_id = $1 AND id <> $2 AND ended_at IS NULL";
    INSERT_TOKEN = "INSERT INTO member_tokens (id, member_id, name, prefix, fingerprint, created_at, expires_at, \
        revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)";
    FIND_TOKEN = "SELECT id, member_id, name, prefix, fingerprint, created_at, expires_at, revoked_at \
        FROM member_tokens WHERE fingerprint = $1 AND revoked_at IS NULL AND expires_at > $2";
    LIST_TOKENS = "SELECT id, member_id, name, prefix, fingerprint, created_at, expires_at, revoked_at \
        FROM member_tokens WHERE member_id = $1 ORDER BY id";
    REVOKE_TOKEN = "UPDATE member_tokens SET revoked_at = $3 WHERE id = $1 AND member_id = $2 AND revoked_at IS NULL";
    REVOKE_TOKENS = "UPDATE member_tokens SET revoked_at = $2 WHERE member_id = $1 AND revoked_at IS NULL";
}

/// A signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Identity.
    pub id: SessionId,
    /// The SHA-256 of the cookie's secret.
    pub fingerprint: Digest,
    /// Who is signed in.
    pub member: MemberId,
    /// The token that forms carry.
    pub csrf: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When the member last proved itself.
    pub reauthenticated_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// Who made the sign-in link that opened it; none when a password did.
    pub let_in_by: Option<Actor>,
}

/// A sign-in link that was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedLink {
    /// Whom it lets in.
    pub member: MemberId,
    /// Who made it; unknown for one that an older version made.
    pub made_by: Option<Actor>,
}

/// A member's personal token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberToken {
    /// Identity.
    pub id: MemberTokenId,
    /// Whose it is.
    pub member: MemberId,
    /// The name the member gave it.
    pub name: String,
    /// The first twelve characters of the secret.
    pub prefix: String,
    /// The SHA-256 of the secret.
    pub fingerprint: Digest,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

fn read(row: &mut Row) -> Result<Session> {
    Ok(Session {
        id: row.parse()?,
        fingerprint: row.digest()?,
        member: row.parse()?,
        csrf: row.text()?,
        created_at: row.time()?,
        reauthenticated_at: row.time()?,
        expires_at: row.time()?,
        let_in_by: row.opt_actor()?,
    })
}

fn read_token(row: &mut Row) -> Result<MemberToken> {
    Ok(MemberToken {
        id: row.parse()?,
        member: row.parse()?,
        name: row.text()?,
        prefix: row.text()?,
        fingerprint: row.digest()?,
        created_at: row.time()?,
        expires_at: row.time()?,
        revoked_at: row.opt_time()?,
    })
}

/// Adds a one-time sign-in link for a member, made by the one who may.
pub fn insert_link(
    tx: &mut Tx<'_>,
    by: &Authorized<ManageMembers>,
    (fingerprint, member): (&Digest, MemberId),
    (created_at, expires_at): (Timestamp, Timestamp),
) -> Result<()> {
    tx.execute_one(
        INSERT_LINK,
        &[
            fingerprint.into(),
            Arg::text(member),
            created_at.into(),
            expires_at.into(),
            by.actor().to_text().into(),
        ],
    )
}

/// Uses up a link that is neither used nor expired; none otherwise.
pub fn use_link(tx: &mut Tx<'_>, fingerprint: &Digest, now: Timestamp) -> Result<Option<UsedLink>> {
    let Some(mut row) = tx.find(USE_LINK, &[fingerprint.into(), now.into()])? else {
        return Ok(None);
    };
    Ok(Some(UsedLink {
        member: row.parse()?,
        made_by: row.opt_actor()?,
    }))
}

/// Adds a session. The caller has just checked a link or a password.
pub fn insert(tx: &mut Tx<'_>, session: &Session) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(session.id),
            (&session.fingerprint).into(),
            Arg::text(session.member),
            (&session.csrf).into(),
            session.created_at.into(),
            session.reauthenticated_at.into(),
            session.expires_at.into(),
            Arg::opt_text(session.let_in_by.map(Actor::to_text)),
        ],
    )
}

/// The living session with this fingerprint.
pub fn find(tx: &mut Tx<'_>, fingerprint: &Digest, now: Timestamp) -> Result<Option<Session>> {
    tx.find(FIND, &[fingerprint.into(), now.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Notes that the member has just proved itself again.
pub fn reauthenticate(tx: &mut Tx<'_>, id: SessionId, at: Timestamp) -> Result<()> {
    tx.execute_one(REAUTHENTICATE, &[Arg::text(id), at.into()])
}

/// Ends a session; ending it twice is the same as once.
pub fn end(tx: &mut Tx<'_>, id: SessionId, at: Timestamp) -> Result<()> {
    tx.execute(END, &[Arg::text(id), at.into()]).map(drop)
}

/// Ends every session of a member but one.
pub fn end_others(tx: &mut Tx<'_>, member: MemberId, kept: SessionId, at: Timestamp) -> Result<()> {
    let args = [Arg::text(member), Arg::text(kept), at.into()];
    tx.execute(END_OTHERS, &args).map(drop)
}

/// Ends every session and personal token of a member.
pub fn end_all(tx: &mut Tx<'_>, member: MemberId, at: Timestamp) -> Result<()> {
    tx.execute(END_ALL, &[Arg::text(member), at.into()])?;
    tx.execute(REVOKE_TOKENS, &[Arg::text(member), at.into()])
        .map(drop)
}

/// Adds a personal token.
pub fn insert_token(tx: &mut Tx<'_>, token: &MemberToken) -> Result<()> {
    tx.execute_one(
        INSERT_TOKEN,
        &[
            Arg::text(token.id),
            Arg::text(token.member),
            (&token.name).into(),
            (&token.prefix).into(),
            (&token.fingerprint).into(),
            token.created_at.into(),
            token.expires_at.into(),
        ],
    )
}

/// The living personal token with this fingerprint.
pub fn find_token(
    tx: &mut Tx<'_>,
    fingerprint: &Digest,
    now: Timestamp,
) -> Result<Option<MemberToken>> {
    tx.find(FIND_TOKEN, &[fingerprint.into(), now.into()])?
        .map(|mut row| read_token(&mut row))
        .transpose()
}

/// A member's personal tokens, oldest first.
pub fn list_tokens(tx: &mut Tx<'_>, member: MemberId) -> Result<Vec<MemberToken>> {
    tx.list(LIST_TOKENS, &[Arg::text(member)], read_token)
}

/// Revokes one of a member's tokens; false when there is no such living token.
pub fn revoke_token(
    tx: &mut Tx<'_>,
    id: MemberTokenId,
    member: MemberId,
    at: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(REVOKE_TOKEN, &[Arg::text(id), Arg::text(member), at.into()])? == 1)
}
