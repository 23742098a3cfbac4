//! The two verifiers, tried on the same bundles: the program's own, and the one in Python that shares
//! nothing with it.
//!
//! `QL_UPDATE=1 cargo test -p querylayer --test it verifier` writes the bundles anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ql_core::bundle::{Held, verify};
use ql_core::ledger::Subject;
use ql_core::note::SigningKey;
use ql_testkit::TestLog;
use ql_testkit::specimen::{self, Specimen};
use ql_testkit::tamper::{Mutant, PythonVerifier, Tamper};

use crate::process::arg;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/verifier")
}

/// Every bundle by where it is kept.
fn specimens() -> Vec<(PathBuf, Specimen)> {
    let kinds = [
        ("sound", specimen::sound()),
        ("touched", specimen::touched()),
        ("lies", specimen::lies()),
    ];
    let mut all = Vec::new();
    for (kind, specimens) in kinds {
        for specimen in specimens {
            let name = format!("vectors/{kind}/{}.qlbundle", specimen.name);
            all.push((folder().join(name), specimen));
        }
    }
    all
}

#[test]
fn the_bundles_that_are_kept_are_those_that_the_code_makes() {
    let mut kept = 0;
    for (path, specimen) in specimens() {
        if std::env::var_os("QL_UPDATE").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, &specimen.bundle).expect("written");
        }
        let found =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(found == specimen.bundle, "{} is another", path.display());
        kept += 1;
    }
    let there: usize = ["sound", "touched", "lies"]
        .map(|kind| fs::read_dir(folder().join("vectors").join(kind)).expect("bundles"))
        .map(Iterator::count)
        .iter()
        .sum();
    assert_eq!(there, kept, "nothing else is kept");
}

/// Imports the verifier and prints a line for each file: what it proves, or that it's refused.
const EACH: &str = "
import sys
sys.path.insert(0, sys.argv[1])
import verify
for path in sys.argv[2:]:
    try: print(verify.verify(open(path, 'rb').read()))
    except Exception as error: print('refused')
";

#[test]
fn both_verifiers_say_the_same() {
    let specimens = specimens();
    let output = Command::new("python3")
        .args(["-B", "-c", EACH, arg(&folder())])
        .args(specimens.iter().map(|(path, _)| path))
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), specimens.len());
    for ((path, specimen), line) in specimens.iter().zip(lines) {
        let ours = match verify(specimen.bundle.as_bytes(), &Held::default()) {
            Ok(report) => report.to_string(),
            Err(_) => "refused".to_owned(),
        };
        assert_eq!(ours, line, "{}", path.display());
        let is_sound = path.components().any(|part| part.as_os_str() == "sound");
        assert_eq!(line != "refused", is_sound, "{}", path.display());
    }
}

/// The Python program as it is called.
fn python(arguments: &[&str]) -> (bool, String) {
    let output = Command::new("python3")
        .args(["-B", arg(&folder().join("verify.py"))])
        .args(arguments)
        .output()
        .expect("python3 runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(text).expect("text"),
    )
}

#[test]
fn the_python_verifier_takes_what_the_auditor_holds() {
    let bundle = folder().join("vectors/sound/rotated-keys.qlbundle");
    let (ok, said) = python(&[arg(&bundle)]);
    assert!(ok && said.starts_with("ok run_"), "{said}");
    let named = |seed: u8| {
        let key = SigningKey::from_seed(&[seed; 32]).public();
        key.with_name("whatever")
    };
    assert!(python(&[arg(&bundle), &named(2)]).0);
    let (ok, said) = python(&[arg(&bundle), &named(9)]);
    assert!(!ok && said.starts_with("refused: not by the key"), "{said}");

    let scratch = ql_testkit::TempDir::new();
    let note = scratch.path().join("checkpoint");
    let text = fs::read_to_string(folder().join("vectors/sound/grown-since.qlbundle"));
    let header: serde_json::Value =
        serde_json::from_str(text.expect("a bundle").lines().next().expect("a header"))
            .expect("JSON");
    fs::write(&note, header["since"].as_str().expect("a note")).expect("written");
    let grown = folder().join("vectors/sound/grown-since.qlbundle");
    assert!(python(&[arg(&grown), &named(1), arg(&note)]).0);
    let (ok, said) = python(&[arg(&bundle), &named(1), arg(&note)]);
    assert!(!ok && said.starts_with("refused: nothing leads"), "{said}");
}

/// Takes one check after another out of the verifier, and prints each whose loss no bundle shows.
const WITHOUT: &str = r"
import base64, functools, json, re, sys
lines = open(sys.argv[1] + '/verify.py').read().split('\n')
def load(lines, signed):
    made = {'__name__': 'verify'}
    exec('\n'.join(lines), made)
    made['signed'] = signed or functools.lru_cache(None)(made['signed'])
    return made
def verdicts(made):
    said = []
    for path in sys.argv[2:]:
        try: said.append(made['verify'](open(path, 'rb').read()))
        except Exception: said.append('refused')
    data, other = (open(path, 'rb').read() for path in sys.argv[2:4])
    stranger = 'any+00000000+' + base64.b64encode(b'\1' + bytes(32)).decode()
    held = json.loads(other.split(b'\n')[0])['checkpoint']
    for key, note in ((stranger, None), (None, held)):
        try: said.append(made['verify'](data, key, note))
        except Exception: said.append('refused')
    return said
whole = load(lines, None)
sound, tried = verdicts(whole), 0
for at, line in enumerate(lines):
    if not re.match(r'\s+need\(', line): continue
    end = at + 1
    while '\n'.join(lines[at:end]).count('(') > '\n'.join(lines[at:end]).count(')'): end += 1
    pad = line[:len(line) - len(line.lstrip())]
    without = lines[:at] + [pad + 'pass'] + lines[end:]
    tried += 1
    if verdicts(load(without, whole['signed'])) == sound: print(line.strip())
print(tried)
";

/// The negative control of the specimens: each check is there because of some of them. The one that is
/// named asks for points of the curve, and signatures by what is none don't fit anyway.
#[test]
fn no_check_of_the_python_verifier_can_be_left_out() {
    let specimens = specimens();
    let output = Command::new("python3")
        .args(["-B", "-c", WITHOUT, arg(&folder())])
        .args(specimens.iter().map(|(path, _)| path))
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    insta::assert_snapshot!(said.trim_end(), @r#"
    need(y < P and x * x % P == square and (x or not sign), "a key or a signature is no point of the curve")
    18
    "#);
}

/// Some of the mutations that `querylayer-bench tamper` makes a hundred thousand of.
#[test]
fn mutations_are_found_by_both_and_clean_bundles_by_neither() {
    let mut log = TestLog::default();
    let mut bundles = Vec::new();
    for _ in 0..3 {
        let (run, proposal) = log.story();
        bundles.push(log.export(&[run, proposal]));
    }
    log.rotate(2);
    bundles.push(log.export(&[Subject::Site(log.site)]));
    let key = SigningKey::from_seed(&[1; 32]).public();
    let held = Held {
        key: Some(key),
        checkpoint: None,
    };
    let mut python = PythonVerifier::start(&folder(), &key);
    for bundle in &bundles {
        python.ask(bundle.as_bytes());
        let report = verify(bundle.as_bytes(), &held).expect("sound");
        assert_eq!(python.answer(), report.to_string());
    }
    let mut tamper = Tamper::new(1, &bundles);
    let mut met = BTreeSet::new();
    for _ in 0..600 {
        let Mutant { kind, bundle } = tamper.mutate();
        python.ask(&bundle);
        let ours = verify(&bundle, &held);
        let text = String::from_utf8_lossy(&bundle);
        assert!(ours.is_err(), "{kind} goes unseen: {text}");
        assert_eq!(python.answer(), "refused", "{kind} goes unseen: {text}");
        met.insert(kind);
    }
    assert_eq!(met.len(), Tamper::kinds().count(), "every kind was tried");
}

#[test]
fn the_python_verifier_has_a_hundred_lines_and_imports_nothing_of_ours() {
    let text = fs::read_to_string(folder().join("verify.py")).expect("the verifier");
    assert!(text.lines().count() <= 100);
    let imports: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("import "))
        .collect();
    insta::assert_snapshot!(imports.join("\n"), @"import base64, bisect, functools, hashlib, itertools, json, re, sys");
}
