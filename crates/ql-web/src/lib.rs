//! ql-web
