//! The pipeline's rules as their users meet them.

mod injection;
mod shared;
