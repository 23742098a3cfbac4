//! The administration socket: how commands reach a running server.
//!
//! It lies at a short path of the machine's runtime folder, since socket paths end at 108 bytes, and
//! the data folder notes where. Only its owner can connect (mode 0600); the ledger names the user id
//! that the kernel reports.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use ql_app::App;
use ql_app::director::Director;
use ql_core::hash::Digest;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};

use crate::admin::{self, Request};
use crate::data::DataDir;

const LONGEST_REQUEST: u64 = 1 << 20;

/// A listening administration socket; it goes with the value.
#[derive(Debug)]
pub struct AdminSocket {
    path: PathBuf,
    note: PathBuf,
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        // A socket that is left over is replaced at the next start; nothing depends on this.
        drop(std::fs::remove_file(&self.path));
        drop(std::fs::remove_file(&self.note));
    }
}

fn socket_path(data: &DataDir) -> PathBuf {
    let runtime =
        std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = std::fs::canonicalize(data.path()).unwrap_or_else(|_| data.path().to_owned());
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).short();
    runtime.join(format!("querylayer-{name}.sock"))
}

/// Listens for administration commands until the value is dropped.
///
/// # Errors
/// The socket can't be made.
pub fn listen((app, director): (&App, Option<&Director>), data: &DataDir) -> Result<AdminSocket> {
    let path = socket_path(data);
    // The lock on the database says that no other server of this folder lives, so what is here is
    // left over from one that was killed.
    if path.exists() {
        std::fs::remove_file(&path)
            .with_context(|| format!("{} can't be replaced", path.display()))?;
    }
    let listener =
        UnixListener::bind(&path).with_context(|| format!("{} can't be made", path.display()))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    std::fs::write(data.socket_note(), path.as_os_str().as_encoded_bytes())?;
    let served = (app.clone(), director.cloned());
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let served = served.clone();
                    tokio::spawn(async move {
                        if let Err(error) = answer(&served, stream).await {
                            tracing::warn!(%error, "an administration command wasn't answered");
                        }
                    });
                }
                Err(error) => {
                    tracing::error!(%error, "the administration socket failed");
                    return;
                }
            }
        }
    });
    Ok(AdminSocket {
        path,
        note: data.socket_note(),
    })
}

async fn answer(served: &(App, Option<Director>), stream: UnixStream) -> Result<()> {
    let served = (&served.0, served.1.as_ref());
    let uid = stream.peer_cred()?.uid();
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    BufReader::new(read.take(LONGEST_REQUEST))
        .read_line(&mut line)
        .await?;
    let answer = match serde_json::from_str::<Request>(&line) {
        Ok(request) => match admin::run_with(served, uid, request).await {
            Ok(answer) => json!({"ok": answer}),
            Err(error) => json!({"error": format!("{error:#}")}),
        },
        Err(error) => json!({"error": format!("this server doesn't know the command: {error}")}),
    };
    write.write_all(format!("{answer}\n").as_bytes()).await?;
    Ok(write.shutdown().await?)
}

/// The running server's answer to a request; none when no server of the folder runs.
///
/// # Errors
/// The server's refusal, or a connection that breaks.
pub async fn ask(data: &DataDir, request: &Request) -> Result<Option<Value>> {
    let Some(stream) = connect(&data.socket_note()).await else {
        return Ok(None);
    };
    let (read, mut write) = stream.into_split();
    write
        .write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())
        .await?;
    let mut line = String::new();
    BufReader::new(read).read_line(&mut line).await?;
    let mut answer: Value = serde_json::from_str(&line).context("the running server broke off")?;
    match answer.get("error").and_then(Value::as_str) {
        Some(error) => Err(anyhow!("{error}")),
        None => Ok(Some(answer["ok"].take())),
    }
}

async fn connect(note: &Path) -> Option<UnixStream> {
    let path = std::fs::read_to_string(note).ok()?;
    UnixStream::connect(path).await.ok()
}
