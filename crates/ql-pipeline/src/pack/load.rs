//! Making a pack of its files, or saying everything that keeps it from being one.

use ql_core::canon;
use ql_core::hash::Digest;

use super::check::{self, Tables};
use super::files::{CONSTITUTION, FILES, Texts, texts};
use super::header::{self, Header};
use super::manifest::manifest;
use super::order::order;
use super::problem::{Problem, Problems, Unfit};
use super::source::Source;
use super::stage::Stage;
use super::table::{Entry, Table};
use super::{Pack, PackFile};

/// Makes a pack of its files: paths below its folder, and bytes.
///
/// # Errors
/// Everything that is wrong, with file and place.
pub fn load(files: Vec<(String, Vec<u8>)>) -> Result<Pack, Unfit> {
    let mut problems = Problems::default();
    let texts = texts(files, &mut problems);
    let sources = sources(&texts, &mut problems);
    let header = source(&sources, header::FILE).map_or_else(Header::default, |source| {
        Header::read(source, &mut problems)
    });
    let tables = Tables {
        roles: table(&sources, &mut problems),
        stages: table(&sources, &mut problems),
        rules: table(&sources, &mut problems),
        doctrines: table(&sources, &mut problems),
        disputed: table(&sources, &mut problems),
        translations: table(&sources, &mut problems),
    };
    check::constitution(texts.get(CONSTITUTION), &mut problems);
    check::tables(&tables, &mut problems);
    let problems = located(problems, &sources);
    if problems.is_empty() {
        Ok(pack(header, tables, &texts))
    } else {
        Err(Unfit { problems })
    }
}

/// The files in TOML, each read once.
fn sources<'i>(texts: &'i Texts, problems: &mut Problems) -> Vec<Source<'i>> {
    let tables = FILES.into_iter().filter(|file| *file != CONSTITUTION);
    let parse = |file| Some(Source::parse(file, texts.get(file)?, problems));
    tables.filter_map(parse).collect()
}

fn source<'s, 'i>(sources: &'s [Source<'i>], file: &str) -> Option<&'s Source<'i>> {
    sources.iter().find(|source| source.file == file)
}

fn table<T: Entry>(sources: &[Source<'_>], problems: &mut Problems) -> Table<T> {
    source(sources, T::FILE).map_or_else(Table::unread, |source| Table::read(source, problems))
}

/// The problems with their lines, file by file from top to bottom.
fn located(problems: Problems, sources: &[Source<'_>]) -> Vec<Problem> {
    let mut problems = problems.into_vec();
    for problem in &mut problems {
        if let Some(source) = source(sources, &problem.file) {
            source.locate(problem);
        }
    }
    let place = |file: &str| FILES.iter().position(|known| *known == file);
    problems.sort_by_key(|problem| {
        let place = place(&problem.file).unwrap_or(FILES.len());
        (place, problem.file.clone(), problem.line)
    });
    problems
}

fn pack(header: Header, tables: Tables, texts: &Texts) -> Pack {
    let files: Vec<PackFile> = texts
        .iter()
        .map(|(path, text)| PackFile {
            path: path.clone(),
            text: text.clone(),
            sha256: Digest::of(text.as_bytes()),
        })
        .collect();
    let constitution = texts.get(CONSTITUTION).map_or("", String::as_str);
    let mut roles = tables.roles.into_entries();
    roles.sort_by_key(|role| role.number);
    Pack {
        name: header.name,
        version: header.version,
        constitution_sha256: Digest::of(constitution.as_bytes()),
        sha256: canon::digest(&manifest(&files)),
        files,
        roles,
        stages: in_order(&tables.stages.into_entries()),
        rules: tables.rules.into_entries(),
        doctrines: tables.doctrines.into_entries(),
        disputed: tables.disputed.into_entries(),
        translations: tables.translations.into_entries(),
    }
}

fn in_order(stages: &[Stage]) -> Vec<Stage> {
    let stages: Vec<&Stage> = stages.iter().collect();
    let order = order(&stages).stages.into_iter();
    order.map(|at| stages[at].clone()).collect()
}
