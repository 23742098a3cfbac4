//! The verifier in Python, kept running so that many bundles can be asked for one after another.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ql_core::note::PublicKey;

/// Takes bundles by their length, answers with a line each. Signatures are checked once.
const DRIVER: &str = "
import functools, sys
sys.path.insert(0, sys.argv[1])
import verify
verify.signed = functools.lru_cache(1 << 16)(verify.signed)
while length := sys.stdin.buffer.readline():
    data = sys.stdin.buffer.read(int(length))
    try: print(verify.verify(data, sys.argv[2]), flush=True)
    except Exception as error: print('refused', flush=True)
";

/// A running verifier that holds one key.
#[derive(Debug)]
pub struct PythonVerifier {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PythonVerifier {
    /// Starts the verifier that lies in `folder`.
    ///
    /// # Panics
    /// When there is no Python.
    pub fn start(folder: &Path, key: &PublicKey) -> Self {
        let mut child = Command::new("python3")
            .args(["-B", "-c", DRIVER])
            .arg(folder)
            .arg(key.with_name("ledger"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs");
        Self {
            input: child.stdin.take().expect("a pipe"),
            output: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
        }
    }

    /// Hands a bundle over; [`PythonVerifier::answer`] gives what comes of it.
    ///
    /// # Panics
    /// When the verifier ended.
    pub fn ask(&mut self, bundle: &[u8]) {
        writeln!(self.input, "{}", bundle.len())
            .and_then(|()| self.input.write_all(bundle))
            .and_then(|()| self.input.flush())
            .expect("the verifier runs");
    }

    /// What it said of the bundle that was handed over first: its verdict, or `refused`.
    ///
    /// # Panics
    /// When the verifier ended.
    pub fn answer(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the verifier runs");
        assert!(line.ends_with('\n'), "the verifier ended");
        line.truncate(line.len() - 1);
        line
    }
}

impl Drop for PythonVerifier {
    fn drop(&mut self) {
        // It ends with its input; nothing of it must be finished.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
