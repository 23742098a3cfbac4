//! ql-store
