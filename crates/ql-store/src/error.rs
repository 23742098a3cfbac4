//! What can go wrong in the database.

/// A failure of the store. "Not found" is no failure: finders answer `Option`.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A constraint of the schema refused the change.
    #[error("a constraint refused the change: {0}")]
    Conflict(String),
    /// The database can't be reached, is full or is busy.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A stored value can't be read as what it should be.
    #[error("the stored value of column {column} can't be read: {reason}")]
    Corrupt {
        /// The place in the row, from 0.
        column: usize,
        /// What was expected.
        reason: String,
    },
    /// The data folder, the schema or the engine isn't what this version works with.
    #[error("{0}")]
    Unsupported(String),
    /// A statement that this program should not have made.
    #[error("a defect in a statement: {0}")]
    Bug(String),
}

/// A result of the store.
pub type Result<T> = std::result::Result<T, StoreError>;
