//! ql-core
