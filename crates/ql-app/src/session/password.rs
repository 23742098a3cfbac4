//! Password hashes: Argon2id, computed off the threads that answer requests.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};

use crate::error::{Error, Result};

/// The Argon2id hash of no password, for addresses that nobody has.
pub(super) const UNKNOWN_MEMBER: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Whether a password gives a hash.
pub(super) async fn verify(hash: String, password: String) -> Result<bool> {
    tokio::task::spawn_blocking(move || {
        PasswordHash::new(&hash).is_ok_and(|parsed| {
            Argon2::default()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok()
        })
    })
    .await
    .map_err(|error| Error::Fault(error.to_string()))
}

/// The hash of a password.
pub(super) async fn hash(password: String, salt: [u8; 16]) -> Result<String> {
    let hashed = tokio::task::spawn_blocking(move || {
        let hash: PasswordHash =
            Argon2::default().hash_password_with_salt(password.as_bytes(), &salt)?;
        Ok::<_, argon2::password_hash::Error>(hash.to_string())
    });
    hashed
        .await
        .map_err(|error| Error::Fault(error.to_string()))?
        .map_err(|error| Error::Fault(error.to_string()))
}
