//! Text stands out from what it stands on, in both modes (WCAG 2.2, AA).

use std::collections::BTreeMap;

use ql_web::assets::STYLES;

/// What text is written in, and on what.
const TEXT: [(&str, &str); 24] = [
    ("ink", "paper"),
    ("ink", "surface"),
    ("ink", "sunken"),
    ("ink", "pick"),
    ("ink-2", "paper"),
    ("ink-2", "surface"),
    ("ink-2", "sunken"),
    ("ink-3", "paper"),
    ("ink-3", "surface"),
    ("ink-3", "sunken"),
    ("on-accent", "accent"),
    ("on-accent", "accent-2"),
    ("live", "live-bg"),
    ("live", "surface"),
    ("proposed", "proposed-bg"),
    ("proposed", "surface"),
    ("needs", "needs-bg"),
    ("needs", "surface"),
    ("stopped", "stopped-bg"),
    ("stopped", "surface"),
    ("ins", "ins-row"),
    ("ins", "ins-word"),
    ("del", "del-row"),
    ("del", "del-word"),
];

/// What shows where a control is, and on what.
const EDGES: [(&str, &str); 4] = [
    ("control", "surface"),
    ("control", "paper"),
    ("focus", "surface"),
    ("focus", "paper"),
];

/// The colours of one mode, by name.
fn colours(block: &str) -> BTreeMap<String, [u8; 3]> {
    let mut found = BTreeMap::new();
    for declaration in block.split(';') {
        let Some((name, value)) = declaration.split_once(':') else {
            continue;
        };
        let name = name.rsplit("--").next().unwrap_or_default().trim();
        if let Some(hex) = value.trim().strip_prefix('#').filter(|hex| hex.len() == 6) {
            let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("a colour");
            found.insert(name.to_owned(), [part(0), part(2), part(4)]);
        }
    }
    found
}

/// Both modes: the light one, and the dark one laid over it.
fn modes() -> [(&'static str, BTreeMap<String, [u8; 3]>); 2] {
    let css = std::str::from_utf8(STYLES.body()).expect("text");
    let roots: Vec<&str> = css.split(":root {").skip(1).collect();
    let block = |text: &str| colours(text.split('}').next().unwrap_or_default());
    let light = block(roots[0]);
    let mut dark = light.clone();
    dark.extend(block(roots[1]));
    [("light", light), ("dark", dark)]
}

fn luminance(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn the_formula_is_the_one_of_the_guideline() {
    let [black, white, grey] = [[0; 3], [255; 3], [0x77; 3]];
    assert!((contrast(black, white) - 21.0).abs() < 0.01);
    assert!((contrast(grey, white) - 4.48).abs() < 0.01);
}

#[test]
fn text_has_four_and_a_half_and_edges_have_three() {
    for (mode, colours) in modes() {
        for (pairs, least) in [(&TEXT[..], 4.5), (&EDGES[..], 3.0)] {
            for (front, back) in pairs {
                let found = contrast(colours[*front], colours[*back]);
                assert!(found >= least, "{mode}: {front} on {back} has {found:.2}");
            }
        }
    }
}
