//! How well and how fast references are read: `refbench DIR`, where DIR holds `references` and
//! `corpora`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};
fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name the folder of data")?;
    let folder = Path::new(&folder);
    let reader = ql_scripture::Reader::english();
    let v = reader.versification();
    let cases = fs::read_to_string(folder.join("references/bcv_cases.tsv"))?;
    let show = env::var("SHOW").unwrap_or_default();
    let mut n = [0usize; 2];
    let mut ok = [0usize; 2];
    for line in cases.lines().skip(1) {
        let mut c = line.split('\t');
        let (suite, input, expected) = (
            c.next().unwrap_or(""),
            c.next().unwrap_or(""),
            c.next().unwrap_or(""),
        );
        let expected = expand(v, expected);
        let got: std::collections::BTreeSet<_> = reader
            .find(input)
            .flat_map(|h| {
                h.citations
                    .into_iter()
                    .flat_map(|c| v.verses(c.span))
                    .collect::<Vec<_>>()
            })
            .map(|x| {
                if x.verse == 0 {
                    ql_scripture::Verse::new(x.book, x.chapter, 1)
                } else {
                    x
                }
            })
            .collect();
        let mut h: u32 = 0x811c9dc5;
        for b in input.to_lowercase().bytes() {
            h = (h ^ u32::from(b)).wrapping_mul(0x01000193);
        }
        h ^= h >> 15;
        h = h.wrapping_mul(0x2c1b3c6d);
        h ^= h >> 12;
        let half = (h & 1) as usize;
        n[half] += 1;
        if expected.as_ref() == Some(&got) {
            ok[half] += 1;
        } else if half == 0 && show == suite {
            let hits: Vec<String> = reader
                .find(input)
                .map(|h| h.passage().to_string())
                .collect();
            println!(
                "{input}\t{}\t{}",
                line.split('\t').nth(2).unwrap_or(""),
                hits.join(" ")
            );
        }
    }
    println!("{ok:?} of {n:?}");
    for id in ["kjv", "asv", "bsb"] {
        let text = fs::read_to_string(folder.join(format!("corpora/{id}.tsv")))?;
        let text: String = text
            .lines()
            .map(|l| l.split_once('\t').map_or("", |x| x.1))
            .collect::<Vec<_>>()
            .join("\n");
        let t = Instant::now();
        let hits: Vec<_> = reader.find(&text).collect();
        let s = t.elapsed().as_secs_f64();
        println!(
            "{id}: {} hits, {:.0} MB/s",
            hits.len(),
            text.len() as f64 / 1e6 / s
        );
        if !show.is_empty() {
            for h in hits.iter().take(20) {
                println!("  {:?} {}", &text[h.bytes.clone()], h.passage());
            }
        }
    }
    Ok(())
}
fn expand(
    v: &ql_scripture::Versification,
    osis: &str,
) -> Option<std::collections::BTreeSet<ql_scripture::Verse>> {
    let mut set = std::collections::BTreeSet::new();
    for part in osis.split(',').filter(|p| !p.is_empty()) {
        let part = part
            .replace("GkEsth", "EsthGr")
            .replace("Ps.151", "AddPs.1");
        let (a, b) = part.split_once('-').unwrap_or((&part, &part));
        let p = |s: &str, end: bool| -> Option<ql_scripture::Verse> {
            let f: Vec<&str> = s.split('.').collect();
            let book = ql_scripture::Book::from_osis(f[0])?;
            let ch = f
                .get(1)
                .map_or(Some(if end { v.chapters(book) } else { 1 }), |x| {
                    x.parse().ok()
                })?;
            let ve = f
                .get(2)
                .map_or(Some(if end { v.last_verse(book, ch)? } else { 1 }), |x| {
                    x.parse().ok()
                })?;
            Some(ql_scripture::Verse::new(book, ch, ve))
        };
        let span = ql_scripture::Span::new(p(a, false)?, p(b, true)?)?;
        set.extend(v.verses(span));
    }
    Some(set)
}
