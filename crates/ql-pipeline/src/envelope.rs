//! What travels between the director and its agents (seed, §1 and §2).
//!
//! Both ways are JSON with a published schema. What comes in is read strictly: no member twice, no
//! unknown member, no number that another reader would round, formats asserted.

pub mod mend;
pub mod output;
pub mod read;
pub mod result;
pub mod schema;
pub mod task;

pub use output::Output;
pub use read::Unfit;
pub use result::TaskResult;
pub use task::Task;
