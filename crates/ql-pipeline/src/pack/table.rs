//! The tables of a pack: files with entries of one kind.

use toml::Spanned;
use toml::de::DeValue;

use super::fields::Fields;
use super::problem::{At, Code, Problems};
use super::source::{Lines, Source};

/// What stands in a table.
pub(super) trait Entry: Sized {
    /// The file.
    const FILE: &'static str;
    /// The name of its array of tables.
    const NAME: &'static str;
    /// Where an entry's id stands in it.
    const ID: &'static str = "id";

    /// Its id.
    fn id(&self) -> &str;

    /// Takes an entry's fields, and says what is wrong with them.
    fn read(fields: &mut Fields<'_, '_>) -> Option<Self>;
}

/// An entry and its place.
#[derive(Debug)]
pub(super) struct Row<T> {
    /// Where it stands.
    pub(super) at: At<'static>,
    /// The entry.
    pub(super) entry: T,
}

/// The entries of a file that could be read.
#[derive(Debug)]
pub(super) struct Table<T> {
    /// The entries in the file's order.
    pub(super) rows: Vec<Row<T>>,
    /// Whether every entry could be read. One that couldn't may be any that others name.
    is_whole: bool,
}

impl<T: Entry> Table<T> {
    /// A table whose file isn't there.
    pub(super) const fn unread() -> Self {
        Self {
            rows: Vec::new(),
            is_whole: false,
        }
    }

    /// Reads every entry of a file.
    pub(super) fn read(source: &Source<'_>, problems: &mut Problems) -> Self {
        let mut table = Self {
            rows: Vec::new(),
            is_whole: source.is_whole,
        };
        let whole = At::file(T::FILE);
        for (key, value) in &source.table {
            let at = whole.within(ql_core::problem::escape(key.get_ref()));
            match value.get_ref() {
                DeValue::Array(items) if key.get_ref() == T::NAME => {
                    for (index, item) in items.iter().enumerate() {
                        table.row(item, &source.lines, at.within(index), problems);
                    }
                }
                _ => {
                    let message = format!(
                        "there is no `{}` here; entries begin with `[[{}]]`",
                        key.get_ref(),
                        T::NAME
                    );
                    problems.add(&at, Code::UnknownField, message);
                }
            }
        }
        table.check_ids(problems);
        table
    }

    fn row(
        &mut self,
        item: &Spanned<DeValue<'_>>,
        lines: &Lines,
        at: At<'static>,
        problems: &mut Problems,
    ) {
        let DeValue::Table(fields) = item.get_ref() else {
            let message = format!("an entry is a table that begins with `[[{}]]`", T::NAME);
            problems.add(&at, Code::Value, message);
            self.is_whole = false;
            return;
        };
        let mut fields = Fields::new(fields.clone(), lines, at.clone(), problems);
        match T::read(&mut fields) {
            Some(entry) => self.rows.push(Row { at, entry }),
            None => self.is_whole = false,
        }
        fields.end();
    }

    fn check_ids(&self, problems: &mut Problems) {
        for (index, row) in self.rows.iter().enumerate() {
            let id = row.entry.id();
            let at = row.at.within(T::ID);
            if !is_id(id) {
                problems.add(&at, Code::Id, not_an_id(id));
            }
            let mut earlier = self.rows[..index].iter();
            if earlier.any(|earlier| earlier.entry.id() == id) {
                let message = format!("`{id}` is an earlier entry's too; each has its own");
                problems.add(&at, Code::Duplicate, message);
            }
        }
    }

    /// The entry of an id.
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        let mut entries = self.rows.iter().map(|row| &row.entry);
        entries.find(|entry| entry.id() == id)
    }

    /// Whether an id may be one of the table's; of a table that couldn't be read, any may.
    pub(super) fn may_have(&self, id: &str) -> bool {
        !self.is_whole || self.get(id).is_some()
    }

    /// Whether every entry could be read.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The entries without their places.
    pub(super) fn into_entries(self) -> Vec<T> {
        self.rows.into_iter().map(|row| row.entry).collect()
    }
}

/// Whether a text can name something in a pack.
pub(super) fn is_id(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(inner)
}

/// What is said of a text that can't.
pub(super) fn not_an_id(text: &str) -> String {
    format!("`{text}` is no id: a letter, then letters, figures, `_` and `-` of ASCII, 64 at most")
}
