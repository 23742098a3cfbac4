//! ql-app
