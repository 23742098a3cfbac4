//! A program of this machine that speaks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use super::super::LONGEST_MEDIA;

/// A program that takes words on its standard input and writes a recording to its output.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) at: PathBuf,
    pub(super) arguments: Vec<String>,
    /// Where the program itself finds others.
    pub(super) path: OsString,
}

impl Program {
    /// Runs it on some words. No shell reads them and no argument carries them, and of the server's
    /// environment, which may hold keys, it sees where programs and the home folder are. Whoever
    /// stops waiting ends it.
    pub(super) async fn run(&self, words: &str) -> Result<Vec<u8>, String> {
        let failed = |what: &str| format!("{} {what}", self.name);
        let mut command = Command::new(&self.at);
        command
            .args(&self.arguments)
            .env_clear()
            .env("PATH", &self.path);
        command.envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let child = command.kill_on_drop(true).spawn();
        let mut child = child.map_err(|error| failed(&format!("can't be started: {error}")))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(failed("can't be spoken to"));
        };
        let writing = async move {
            // A program that ends early says by its exit code what that means.
            let _ = stdin.write_all(words.as_bytes()).await;
        };
        let mut recording = Vec::new();
        let mut stdout = stdout.take(LONGEST_MEDIA as u64 + 1);
        let ((), read) = tokio::join!(writing, stdout.read_to_end(&mut recording));
        if read.is_err() || recording.len() > LONGEST_MEDIA {
            return Err(failed("gave more than a recording may have"));
        }
        match child.wait().await {
            Ok(status) if status.success() => Ok(recording),
            Ok(status) => Err(failed(&format!("failed: {status}"))),
            Err(error) => Err(failed(&format!("failed: {error}"))),
        }
    }
}
