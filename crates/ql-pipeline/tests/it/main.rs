//! The pipeline's rules as their users meet them.

mod pack;
