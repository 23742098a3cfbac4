//! A server's settings in TOML, read as the tables of a pack are: whatever is wrong is said at
//! once, each with its line.

use std::fmt;

use crate::pack::problem::{At, Problem, Problems};
use crate::pack::source::Source;

pub use crate::pack::fields::Fields;

/// Everything that keeps a file of settings from being used, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The file's name.
    pub file: &'static str,
    /// What there is to mend.
    pub problems: Vec<Problem>,
}

impl std::error::Error for Unusable {}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.problems.len();
        write!(f, "{} can't be used; {number} to mend", self.file)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

/// Reads a file of settings: `read` takes the fields, and says of each what is wrong with it.
///
/// # Errors
/// Everything that is wrong, with its line.
pub fn read<T>(
    file: &'static str,
    text: &str,
    read: impl FnOnce(&mut Fields<'_, '_>) -> T,
) -> Result<T, Unusable> {
    let mut problems = Problems::default();
    let source = Source::parse(file, text, &mut problems);
    let (table, whole) = (source.table.clone(), At::file(file));
    let mut fields = Fields::new(table, &source.lines, whole, &mut problems);
    let value = read(&mut fields);
    fields.end();
    let mut problems = problems.into_vec();
    for problem in &mut problems {
        source.locate(problem);
    }
    problems.sort_by_key(|problem| problem.line);
    if problems.is_empty() {
        Ok(value)
    } else {
        Err(Unusable { file, problems })
    }
}
