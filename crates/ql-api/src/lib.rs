//! ql-api
