//! The macro that declares a module's statements.

/// Declares statements as constants and lists them, so that a test can prepare every one.
macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        $(const $name: &str = $sql;)*
        pub(crate) const STATEMENTS: &[&str] = &[$($name),*];
    };
}
