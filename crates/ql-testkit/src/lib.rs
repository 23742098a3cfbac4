//! ql-testkit
